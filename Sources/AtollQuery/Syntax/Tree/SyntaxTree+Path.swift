extension QuerySyntax {
  /// The way from an object to a value: at least one step.
  public struct Path: Hashable, Sendable {
    /// The steps in their order, the first of which is taken from the object.
    public var steps: [Located<PathStep>]

    public init(_ steps: [Located<PathStep>]) {
      self.steps = steps
    }

    /// The bytes from the first step to the last.
    public var range: Range<Int> {
      guard let first = steps.first, let last = steps.last else { return 0..<0 }
      return first.range.lowerBound..<max(first.range.upperBound, last.range.upperBound)
    }
  }

  /// One step of a path.
  public enum PathStep: Hashable, Sendable {
    /// What a `placeArgument` is that stands for all elements.
    static let wordForAll = "#any"

    /// `name`, a property; first in a subquery also its variable; later also a map key.
    case property(String)

    /// `$K0`: the argument holds the whole path. Always the only step.
    case keyPathArgument(Int)

    /// `@links.Class.property`: the objects whose property refers to this one.
    indirect case backlinks(origin: Located<String>, property: Located<String>)

    /// `@links` with nothing behind it but a count: every reference to this object.
    case incomingLinks

    /// `@keys`, the keys of a map.
    case keys

    /// `@values`, the values of a map.
    case values

    /// `[3]`, counted from zero.
    case index(Int64)

    /// `[FIRST]`
    case first

    /// `[LAST]`
    case last

    /// `[*]`
    case all

    /// `['key']`
    case key(String)

    /// `[$0]`: the argument is a key or an index.
    case indexArgument(Int)

    /// `[$K0]`, `[%K]`: the argument is a key, or `#any` for all elements.
    case placeArgument(Int)

    /// Whether the step is written in brackets.
    var isIndex: Bool {
      switch self {
      case .index, .first, .last, .all, .key, .indexArgument, .placeArgument: true
      case .property, .keyPathArgument, .backlinks, .incomingLinks, .keys, .values: false
      }
    }
  }
}
