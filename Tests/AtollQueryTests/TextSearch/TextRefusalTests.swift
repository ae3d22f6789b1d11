import AtollObjects
import AtollQuery
import TestThreads
import Testing

/// Every search that is refused, and what its message has to name.
@Suite(.computing) struct TextRefusalTests {
  static let refusals = [
    BindingRefusal("nick TEXT 'x'", on: "Sailor", .binding, "'Sailor.nick'", "full-text index"),
    BindingRefusal("crew.nick TEXT 'x'", .binding, "'Sailor.nick'", "full-text index"),
    BindingRefusal("berths TEXT 'x'", .binding, "`berths`", "single string", "int"),
    BindingRefusal("tags TEXT 'x'", .binding, "`tags`", "collection"),
    BindingRefusal("tags[0] TEXT 'x'", .binding, "tags[0]", "single string"),
    BindingRefusal("extra TEXT 'x'", .binding, "`extra`", "mixed"),
    BindingRefusal("crew TEXT 'x'", .binding, "`crew`", "Sailor"),
    BindingRefusal("crew.@count TEXT 'x'", .binding, "crew.@count"),
    BindingRefusal("bios TEXT 'x'", on: "Sailor", .binding, "Sailor", "bios"),
    BindingRefusal("'x' TEXT 'x'", .binding, "'x'", "constant"),
    BindingRefusal("ALL title TEXT 'x'", .binding, "ALL", "title"),
    BindingRefusal("title TEXT title", .binding, "'Boat.title'", "constant string"),
    BindingRefusal("title TEXT {'x'}", .binding, "'Boat.title'", "constant string"),
    BindingRefusal("title TEXT 7", .binding, "'Boat.title'", "int"),
    BindingRefusal("title TEXT NULL", .binding, "'Boat.title'", "null"),
    BindingRefusal("title TEXT ''", .binding, "'Boat.title'", "no words"),
    BindingRefusal("title TEXT ' \\t '", .binding, "'Boat.title'", "no words"),
    BindingRefusal("title TEXT 'x 🚢'", .binding, "'Boat.title'", "'🚢'", "no letter"),
    BindingRefusal("title TEXT '-'", .binding, "'Boat.title'", "'-'", "no letter"),
    BindingRefusal("title TEXT '*'", .binding, "'Boat.title'", "'*'", "no letter"),
    BindingRefusal(
      "title TEXT 'x sailing-master'", .binding, "'Boat.title'", "'sailing-master'",
      "more than one word"),
    BindingRefusal("title TEXT 'fram-fram'", .binding, "'fram-fram'", "more than one word"),
    BindingRefusal("title TEXT 'sa*il'", .binding, "'Boat.title'", "'sa*il'", "before its end"),
    BindingRefusal("title TEXT '*ail'", .binding, "'*ail'", "before its end"),
    BindingRefusal(
      "title TEXT 'x -word*'", .binding, "'Boat.title'", "'-word*'", "only whole words"),
    BindingRefusal(
      "title TEXT 'été x -ETE'", .binding, "'Boat.title'", "'-ETE'", "wanted and excluded"),
    BindingRefusal(
      "title TEXT '-ete x Été'", .binding, "'Boat.title'", "'Été'", "wanted and excluded"),
    BindingRefusal("title TEXT 'x -東京'", .binding, "'Boat.title'", "'-東京'", "each character"),
    BindingRefusal("title TEXT '東京-都'", .binding, "'東京-都'", "more than one word"),
    BindingRefusal("title TEXT '東京 -京'", .binding, "'-京'", "wanted and excluded"),
    BindingRefusal("title TEXT $0", .argument, "no arguments"),
    BindingRefusal("title TEXT $0", arguments: [.int(1)], .argument, "'Boat.title'", "int"),
    BindingRefusal("title TEXT $0", arguments: [.null], .argument, "'Boat.title'", "null"),
    BindingRefusal(
      "title TEXT $0", arguments: [.list([.string("x")])], .binding, "'Boat.title'"),
    BindingRefusal("title TEXT $0", arguments: [.string("")], .argument, "'Boat.title'", "words"),
    BindingRefusal(
      "title TEXT $0", arguments: [.string("a-b")], .argument, "'Boat.title'", "'a-b'"),
    BindingRefusal("title TEXT[c] 'x'", .syntax, "TEXT"),
    BindingRefusal("title TEXT 'x' + 'y'", .syntax, "TEXT"),
  ]

  @Test(arguments: refusals)
  func messageNamesPropertyAndWord(_ refusal: BindingRefusal) throws {
    let schema = try NoteDatabase.shared.get().snapshot().schema
    let error = try #require(throws: QueryError.self) {
      try Query(
        refusal.query, on: refusal.className, in: schema, arguments: refusal.arguments)
    }
    #expect(error.kind == refusal.kind)
    for word in refusal.words { #expect(error.description.contains(word), "\(error.description)") }
    #expect(error.place.byteOffset <= refusal.query.utf8.count)
  }
}
