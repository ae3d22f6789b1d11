internal import AtollObjects
internal import AtollStorage

/// The zone maps of a leaf, as its parent keeps them.
struct Zones {
  private let summary: ByteView

  init(_ summary: ByteView) {
    self.summary = summary
  }

  func zone(_ column: UInt32) -> Zone? {
    summary.withZone(column)
  }
}

extension ByteView {
  /// The zone of a column in these zone maps.
  fileprivate func withZone(_ column: UInt32) -> Zone? {
    // SAFETY: who looks at zones keeps the branch that they lie in: a scan by its list of leaves or
    // its cursor, statistics by themselves. The reader of the zones compares with the count.
    unsafe ZoneMaps.zone(column, in: unsafeBytes)
  }

  /// Whether these are the bytes of an array.
  func elementsEqual(_ bytes: [UInt8]) -> Bool {
    // SAFETY: the owner of a view that is used is alive, and the array stays put during the call;
    // what is compared ends with the shorter of the two.
    unsafe bytes.withUnsafeBytes { unsafe BytesPredicate.compare(unsafeBytes, $0) == 0 }
  }
}

/// What zone maps say of a leaf: whether none, some or all of its rows pass a test.
enum ZoneVerdict {
  case none
  case some
  case all

  var inverted: ZoneVerdict {
    switch self {
    case .none: .all
    case .some: .some
    case .all: .none
    }
  }
}
