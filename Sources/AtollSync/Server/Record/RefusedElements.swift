internal import AtollCapture
internal import AtollObjects

/// Elements that a client inserted under ids that others have, until its device knows of that.
///
/// Such an insertion is refused. What the device recorded of the id before it saw the version of
/// the refusal is of its own element and not of the other, and is refused too.
struct RefusedElements: Hashable {
  /// Of more ids all elements count as refused: what is refused wrongly is reported, what is
  /// applied wrongly harms another device.
  private static let limit = 1_000

  private var versions: [ElementID: UInt64] = [:]
  /// What was recorded before this version is refused of any element.
  private var all: UInt64 = 0

  var isEmpty: Bool { versions.isEmpty && all == 0 }

  /// Whether a change of an element, recorded by a device that had seen a version, is refused.
  ///
  /// Not for an insertion: of one the list itself tells whether its id is another's.
  func contains(_ id: ElementID, seen version: UInt64) -> Bool {
    version < all || versions[id].map { version < $0 } ?? false
  }

  /// Notes an insertion that was refused at a version, which is newer than those before.
  mutating func insert(_ id: ElementID, at version: UInt64) {
    versions[id] = version
    summarize()
  }

  /// Notes what was refused to the same file under another id.
  mutating func formUnion(_ other: RefusedElements) {
    guard !other.isEmpty else { return }
    versions.merge(other.versions) { max($0, $1) }
    all = max(all, other.all)
    summarize()
  }

  private mutating func summarize() {
    guard versions.count > Self.limit else { return }
    all = max(all, versions.values.max() ?? 0)
    versions = [:]
  }

  /// Forgets what a device knows that has seen a version: all that it sends from now on was
  /// recorded later.
  mutating func forget(seen version: UInt64) {
    guard !isEmpty else { return }
    versions = versions.filter { version < $0.value }
    if all <= version { all = 0 }
  }
}

extension RefusedElements {
  init(from reader: inout RecordedReader) throws(ValueCodingError) {
    all = try reader.readVarint()
    for _ in 0..<(try reader.readCount()) {
      versions[try reader.readElementID()] = try reader.readVarint()
    }
  }

  func write(to writer: inout RecordedWriter) {
    writer.append(varint: all)
    writer.append(varint: UInt64(versions.count))
    for (id, version) in versions.sorted(by: { $0.key < $1.key }) {
      writer.append(id)
      writer.append(varint: version)
    }
  }
}
