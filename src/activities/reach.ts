/** A place at which this process may die: nothing in production (see the list of fault points). */

import type { FaultPoint } from '../domain/fault-points';
import { reachFaultPoint } from '../util/fault-point';

export const reach = (point: FaultPoint): Promise<void> => reachFaultPoint(point);
