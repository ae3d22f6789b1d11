public import Foundation

/// Values that have a least and a greatest.
public protocol MinMaxType {}

/// Values that have a sum and an average.
public protocol AddableType {}

/// Values that `<` and its kin compare: a constraint of functions, nothing to conform to.
public protocol _QueryOrdered {}

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
