import AtollObjects
import AtollStorage
import TestThreads
import Testing

/// Empty collections beside others that lose elements.
@Suite(.computing) struct EmptyCollectionTests {
  /// The collection that was emptied last begins behind the elements of the others.
  @Test(arguments: [ValueType.double, .int, .string, .bool, .date])
  func anEmptiedListStaysEmptyWhenTheOneBeforeItLosesItsLastElement(type: ValueType) throws {
    let database = try Database.inMemory()
    let elements: [Value] =
      switch type {
      case .double: [.double(1), .double(2), .double(3)]
      case .int: [.int(1), .int(2), .int(3)]
      case .string: [.string("a"), .string("b"), .string("c")]
      case .bool: [.bool(true), .bool(false), .bool(true)]
      default: (1...3).compactMap { Timestamp(seconds: $0, nanoseconds: 5).map { .date($0) } }
      }
    let keys = try database.write { transaction in
      try transaction.addClass(
        ClassSchema("Item", properties: [PropertySchema("list", type, collection: .list)]))
      let keys = try (0..<3).map { _ in
        try transaction.create("Item", ["list": .list([elements[0]])])
      }
      // Its elements now lie behind those of the others.
      try transaction.set("Item", keys[0], "list", .list([elements[1], elements[2]]))
      try transaction.set("Item", keys[1], "list", .list([]))
      try transaction.remove("Item", keys[0], "list", at: 1)
      return keys
    }
    let table = try database.snapshot().table("Item")
    let found = try keys.map { try table.object($0)?["list"] }
    #expect(found == [.list([elements[1]]), .list([]), .list([elements[0]])])
  }
}
