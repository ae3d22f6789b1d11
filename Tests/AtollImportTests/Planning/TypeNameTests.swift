import AtollObjects
import TestThreads
import Testing

@testable import AtollImport

/// The names of types in dumps and options.
@Suite(.computing) struct TypeNameTests {
  @Test(arguments: ValueType.allCases.filter { $0 != .link }, [CollectionKind.none, .list, .map])
  func aPropertyIsReadAsItIsWritten(type: ValueType, collection: CollectionKind) {
    let property = PropertySchema("p", type, collection: collection, isOptional: true)
    #expect(PropertySchema("p", typeName: property.typeName) == property)
  }

  /// Dumps of earlier versions are read.
  @Test(arguments: [
    ("timestamp?", "date?"), ("binary", "data"), ("list of timestamp?", "list of date?"),
    ("map of binary", "map of data"), ("set of timestamp", "set of date"),
  ])
  func theNamesOfEarlierVersionsAreRead(earlier: String, now: String) {
    #expect(PropertySchema("p", typeName: earlier)?.typeName == now)
    #expect(PropertySchema("p", typeName: now)?.typeName == now)
  }

  @Test(arguments: ["link", "dates", "list of", "date??", ""])
  func anotherTextIsNoType(text: String) {
    #expect(PropertySchema("p", typeName: text) == nil)
  }
}
