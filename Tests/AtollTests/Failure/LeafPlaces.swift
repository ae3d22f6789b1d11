import AtollObjects
import AtollStorage

@testable import Atoll

/// Where the leaves of a class lie in the file of a realm, in bytes.
func leafPlaces(of className: String, in realm: Realm) throws -> [Range<UInt64>] {
  var places: [Range<UInt64>] = []
  var cursor = try realm.context.snapshot.table(className).tree.cursor()
  while let entry = try cursor.next() {
    let run = entry.reference.run
    let blockByteCount = UInt64(Block.byteCount)
    places.append(run.start * blockByteCount..<(run.start + run.count) * blockByteCount)
  }
  return places
}
