/** Opens a model: one that is there already, the one of the running stack, or the embedded one. */

import type { ClosingList } from '../util/closing-list';
import { findModel } from './find-model';
import type { ModelEndpoint } from './model-endpoint';
import { startModelServer } from './model-server';
import { type OpenedServers, registerProcess } from './open-servers';
import type { OpenStackOptions } from './stack-options';

/** @throws DevStackError; what was started is in the closing list */
export async function openModel(options: OpenStackOptions, opened: OpenedServers, closing: ClosingList): Promise<ModelEndpoint> {
  const { environment, dataFolder, cacheFolder, print, signal } = options;
  const running = opened.embedded.model;
  const model =
    (await findModel({ environment, signal })) ??
    (running === undefined ? undefined : ({ kind: 'embedded', ...running } as const)) ??
    (await startModelServer({
      ...{ environment, dataFolder, cacheFolder, print, signal },
      onProcess: (process) => registerProcess('the model server', process, { lock: opened.lock, closing, print }),
    }));
  print(`Model: ${model.note}`);
  return model;
}
