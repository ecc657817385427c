import { BoundedMap } from '../../../src/util/bounded-map';

test('past its limit the entry that was set longest ago is forgotten; one that is set again is new', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  map.clear();
  expect(map.get('a')).toBeUndefined();
});
