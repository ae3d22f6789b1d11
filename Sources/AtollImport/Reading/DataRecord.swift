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
  case double(Double)
  case string(String)
  /// A field of a format that has no types (CSV): may be read as any scalar.
  case text(String)
  case list([DataElement])
  case object([DataField])
}
