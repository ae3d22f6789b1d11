public import Foundation

/// Values that have a least and a greatest.
public protocol MinMaxType {}

/// Values that have a sum and an average.
public protocol AddableType {}

/// Values that `<` and its kin compare: a constraint of functions, nothing to conform to.
public protocol _QueryOrdered {}

/// A type whose values a file keeps as those of another type: enums and custom types.
public protocol _QueryStored: _Storable {
  associatedtype _Stored: _Storable
}

/// A type of an application's own, which has no order of its own in queries.
public protocol _QueryCustom: _QueryStored {}

extension Int: MinMaxType, AddableType {}
extension Int8: MinMaxType, AddableType {}
extension Int16: MinMaxType, AddableType {}
extension Int32: MinMaxType, AddableType {}
extension Int64: MinMaxType, AddableType {}
extension Float: MinMaxType, AddableType {}
extension Double: MinMaxType, AddableType {}
extension Decimal128: MinMaxType, AddableType {}
extension Date: MinMaxType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
