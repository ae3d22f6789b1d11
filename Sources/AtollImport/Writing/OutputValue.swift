/// A value as it is shown to people or written for programs.
///
/// Types that are text to both (date, object id, UUID, decimal) are strings here. A link is the
/// primary key of its target, a list or set of links the list of their keys.
package enum OutputValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  case list([OutputValue])
  /// A map, an embedded object or a report, in the order to be shown.
  case map([Entry])

  package struct Entry: Equatable, Sendable {
    package var name: String
    package var value: OutputValue

    package init(_ name: String, _ value: OutputValue) {
      self.name = name
      self.value = value
    }
  }
}

extension OutputValue.Entry {
  package init(_ name: String, _ count: Int) { self.init(name, .int(Int64(count))) }

  package init(_ name: String, _ count: UInt64) { self.init(name, .int(Int64(clamping: count))) }

  package init(_ name: String, _ text: String) { self.init(name, .string(text)) }

  package init(_ name: String, _ flag: Bool) { self.init(name, .bool(flag)) }
}
