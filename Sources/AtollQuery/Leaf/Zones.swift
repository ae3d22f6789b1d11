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
    unsafe ZoneMaps.zone(column, in: unsafeBytes)
  }

  /// Whether these are the bytes of an array.
  func elementsEqual(_ bytes: [UInt8]) -> Bool {
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
