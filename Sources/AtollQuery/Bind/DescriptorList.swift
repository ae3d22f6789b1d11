internal import AtollObjects

/// The steps behind a predicate, without those that change nothing.
///
/// A generator of queries may append a thousand; what is left of them has at most
/// `QueryLimits.sortKeys` keys.
struct DescriptorList {
  private(set) var descriptors: [BoundDescriptor] = []
  private(set) var keyCount = 0

  mutating func append(_ descriptor: BoundDescriptor) {
    switch (descriptor, descriptors.last) {
    case (.sort(let keys), .sort(let before)):
      // The later sort is the primary one.
      replaceLast(.sort(Self.unique(keys + before)))
    case (.sort(let keys), _): add(.sort(Self.unique(keys)))
    case (.limit(let count), .limit(let before)): replaceLast(.limit(min(count, before)))
    case (.limit, _): add(descriptor)
    case (.distinct(let paths), _):
      // Rows that are distinct stay so, whatever is done with them.
      let wanted = Set(paths)
      let isKnown = descriptors.contains {
        if case .distinct(let known) = $0 { Set(known) == wanted } else { false }
      }
      if !isKnown { add(.distinct(Self.unique(paths))) }
    }
  }

  private mutating func add(_ descriptor: BoundDescriptor) {
    descriptors.append(descriptor)
    keyCount += descriptor.keyCount
  }

  private mutating func replaceLast(_ descriptor: BoundDescriptor) {
    if let last = descriptors.popLast() { keyCount -= last.keyCount }
    add(descriptor)
  }

  /// Without paths that stood before: rows that come to them are equal by them.
  private static func unique(
    _ keys: [(path: BoundPath, isAscending: Bool)]
  ) -> [(path: BoundPath, isAscending: Bool)] {
    var seen: Set<BoundPath> = []
    return keys.filter { seen.insert($0.path).inserted }
  }

  private static func unique(_ paths: [BoundPath]) -> [BoundPath] {
    var seen: Set<BoundPath> = []
    return paths.filter { seen.insert($0).inserted }
  }
}

extension BoundDescriptor {
  fileprivate var keyCount: Int {
    switch self {
    case .sort(let keys): keys.count
    case .distinct(let paths): paths.count
    case .limit: 1
    }
  }
}

extension QuerySyntax.Descriptor {
  /// The bytes of the last key; nil for a LIMIT.
  var lastKeyRange: Range<Int>? {
    switch self {
    case .sort(let keys): keys.last?.path.range
    case .distinct(let paths): paths.last?.range
    case .limit: nil
    }
  }
}
