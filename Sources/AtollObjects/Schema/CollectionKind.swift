/// What is around the values of a property; the raw value is in files and never changes.
public enum CollectionKind: UInt8, Sendable, CaseIterable {
  case none = 0
  case list = 1
  case set = 2
  case map = 3
}
