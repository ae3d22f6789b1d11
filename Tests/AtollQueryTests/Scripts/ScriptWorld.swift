import AtollObjects
import TestSupport

/// Classes and objects from a text file, for scripts to ask questions about.
///
///     class Port
///       code string key
///       boss -> Sailor
///       scores int? list
///     object OSL
///       boss = #Sailor:1
enum ScriptWorld {
  static let folder = "Tests/AtollQueryTests/Scripts"

  /// The boats, which the page about the language shows.
  static let boats = Result { try make("boats", isIndexed: false) }

  private static let types: [String: ValueType] = [
    "bool": .bool, "int": .int, "float": .float, "double": .double, "decimal": .decimal,
    "string": .string, "data": .data, "date": .date, "objectID": .objectID, "uuid": .uuid,
    "mixed": .mixed,
  ]

  private static let collections: [Substring: CollectionKind] = [
    "list": .list, "set": .set, "map": .map,
  ]

  /// Makes the world of a file.
  ///
  /// `isIndexed`: whether all properties that can have an index do.
  static func make(_ name: String, isIndexed: Bool) throws -> Database {
    var classes: [ClassSchema] = []
    var objects: [(className: String, values: [(name: String, text: Substring)])] = []
    var current = ""
    for line in try GoldenFiles.text("\(folder)/\(name).world").split(separator: "\n") {
      let words = line.split(separator: " ")
      switch (words.first, line.hasPrefix(" ")) {
      case ("#", false), (nil, _): continue
      case ("class", false):
        current = String(words[1])
        classes.append(ClassSchema(current, properties: []))
      case ("object", false): objects.append((String(words[1]), []))
      case (_, false): throw ScriptValue.Malformed(description: "unexpected line: \(line)")
      default:
        if objects.isEmpty {
          try addProperty(words, to: &classes[classes.count - 1], isIndexed: isIndexed)
        } else {
          let text = line.split(separator: "=", maxSplits: 1)
          objects[objects.count - 1].values.append((String(words[0]), text[1]))
        }
      }
    }
    let database = try Database.inMemory()
    try database.write { transaction in
      try transaction.addClasses(classes)
      var keys: [String: [ObjectKey]] = [:]
      // Primary keys first: links may lead to objects that come later.
      for object in objects {
        let primaryKey = classes.first { $0.name == object.className }?.primaryKey
        var initial: [String: Value] = [:]
        for (name, text) in object.values where name == primaryKey {
          initial[name] = try ScriptValue.values(text) { _ in .null }.first
        }
        keys[object.className, default: []].append(
          try transaction.create(object.className, initial))
      }
      var places: [String: Int] = [:]
      for object in objects {
        let key = keys[object.className]?[places[object.className, default: 0]]
        places[object.className, default: 0] += 1
        guard let key else { continue }
        let primaryKey = classes.first { $0.name == object.className }?.primaryKey
        for (name, text) in object.values where name != primaryKey {
          let value = try ScriptValue.values(text) { target in
            let parts = target.split(separator: ":")
            guard parts.count == 2, let place = Int(parts[1]),
              let targets = keys[String(parts[0])], targets.indices.contains(place - 1)
            else { throw ScriptValue.Malformed(description: "no object \(target)") }
            let table = try transaction.table(String(parts[0])).schema.id
            return .link(ObjectLink(table: table, key: targets[place - 1].rawValue))
          }
          try transaction.set(object.className, key, name, value.first ?? .null)
        }
      }
    }
    return database
  }

  /// Reads `name type[?] [list|set|map] [key]` or `name -> Class [list|set|map]`.
  private static func addProperty(
    _ words: [Substring], to schema: inout ClassSchema, isIndexed: Bool
  ) throws {
    let name = String(words[0])
    if words[1] == "->" {
      schema.properties.append(
        PropertySchema(
          name, linkTo: String(words[2]),
          collection: words.dropFirst(3).first.flatMap { collections[$0] } ?? .none))
      return
    }
    let isOptional = words[1].hasSuffix("?")
    guard let type = types[String(isOptional ? words[1].dropLast() : words[1])] else {
      throw ScriptValue.Malformed(description: "unknown type \(words[1])")
    }
    let collection = words.dropFirst(2).first.flatMap { collections[$0] } ?? .none
    schema.properties.append(
      PropertySchema(
        name, type, collection: collection, isOptional: isOptional,
        isIndexed: isIndexed && collection == .none && type != .mixed))
    if words.last == "key" { schema.primaryKey = name }
  }
}
