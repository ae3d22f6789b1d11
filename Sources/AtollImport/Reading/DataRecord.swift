package import AtollObjects

/// One object of a data file: its named values in the order of the file.
package struct DataRecord: Equatable, Sendable {
  package var fields: [DataField]
  /// Where the record begins.
  package var position: SourcePosition
}

/// A named value and the place where the value (not the name) begins.
package struct DataField: Equatable, Sendable {
  package var name: String
  package var value: DataValue
  package var position: SourcePosition
}

/// An element of a list and the place where it begins.
package struct DataElement: Equatable, Sendable {
  package var value: DataValue
  package var position: SourcePosition
}

/// A value as the data file states it, before it has a property's type.
package enum DataValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number written without fraction and exponent.
  case int(Int64)
  /// Such a number beyond 64 bits, by its digits.
  case longInt(String)
  /// Any other number: the nearest double, and what is written, which a decimal is made of.
  case double(Double, digits: String)
  /// Such a number that is larger than any double, or nearer to zero.
  case longDouble(String)
  case string(String)
  /// A field of a format that has no types (CSV): may be read as any scalar.
  case text(String)
  case list([DataElement])
  case object([DataField])
  /// A value whose type the notation names, as Extended JSON does: a decimal, a float, data, a date,
  /// an object id or a UUID.
  case typed(Value)
  /// A link in a mixed value of a dump: the key of the target, or its number as "#1".
  indirect case link(className: String, key: DataValue)
}
