internal import Atoll
internal import AtollObjects
internal import Foundation
internal import TestSupport

/// One file that goes through several versions of its classes, compared with the model after each.
///
/// Some migrations are done by another process, which is killed at some moment: the file is as before
/// then, or as after, and nothing between.
struct MigrationTrial {
  let number: UInt64
  private var random: SplitMix64
  private let folder = TemporaryFolder()
  /// Whether a migration failed, one was killed before its commit, and one after it.
  private(set) var flags = [false, false, false]
  private(set) var objectCount = 0

  init(number: UInt64) {
    self.number = number
    random = SplitMix64(seed: ~number)
  }

  private var path: String { folder.path(of: "fleet.realm") }

  /// The migrations of a number, whatever becomes of them: each follows from those before.
  static func scripts(_ number: UInt64) -> [FleetScript] {
    var random = SplitMix64(seed: number)
    var version = Int.random(in: 0..<Fleet.versions.count, using: &random)
    var tag = 1
    var state = FleetState()
    for (name, schema) in Fleet.schemas[version].sorted(by: { $0.key < $1.key }) {
      state.objects[name] = [:]
      // Now and then more than a page holds.
      let isMany = number % 16 == 0
      for _ in 0..<Int.random(in: 0...(isMany ? 300 : 9), using: &random) {
        var values: [String: FleetValue] = ["tag": .int(tag)]
        if let key = schema.primaryKeyProperty {
          values[key.name] =
            key.type == .int ? .int(tag * 7 % 1_009 + tag * 2_000) : .string("n\(tag)")
        }
        state.objects[name]?[tag] = values
        tag += 1
      }
    }
    let bare = state
    for (name, schema) in Fleet.schemas[version].sorted(by: { $0.key < $1.key }) {
      for tag in (bare.objects[name] ?? [:]).keys.sorted() {
        for property in schema.properties where bare.objects[name]?[tag]?[property.name] == nil {
          let isNullable = property.isOptional || property.type == .any
          state.objects[name]?[tag]?[property.name] = FleetMaker.value(
            property, bare, isRequired: !isNullable, &random)
        }
      }
    }
    var scripts: [FleetScript] = []
    for _ in 0..<3 {
      let next = Int.random(in: 0..<Fleet.versions.count, using: &random)
      let script = FleetScript(
        from: version, to: next, state, seed: random.next(), tag: tag)
      scripts.append(script)
      state = script.after
      tag = script.endTag
      if !script.fails { version = next }
      // A class that has left is not known any more.
      for name in state.objects.keys where Fleet.schemas[version][name] == nil {
        return scripts
      }
    }
    return scripts
  }

  private static func configuration(
    _ path: String, _ version: Int, _ schemaVersion: UInt64, _ block: MigrationBlock? = nil
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: path), schemaVersion: schemaVersion, migrationBlock: block,
      objectTypes: Fleet.versions[version])
  }

  /// Does one of the migrations of a number, in the file at a path.
  ///
  /// - Throws: What the migration fails with.
  static func migrate(_ path: String, _ number: UInt64, step: Int) throws {
    let script = scripts(number)[step]
    let configuration = configuration(path, script.newVersion, UInt64(step) + 2) { migration, _ in
      script.run(migration)
    }
    try Realm.performMigration(for: configuration)
  }

  mutating func run() throws {
    let scripts = Self.scripts(number)
    guard let first = scripts.first else { return }
    objectCount = first.before.objects.values.reduce(0) { $0 + $1.count }
    try make(first.before, version: first.oldVersion)
    for (index, script) in scripts.enumerated() {
      if Int.random(in: 0..<6, using: &random) == 0 { try kill(script, step: index) }
      let stored = try schemaVersionAtURL(URL(filePath: path))
      if stored < UInt64(index) + 2 {
        do {
          try Self.migrate(path, number, step: index)
          if script.fails { throw CaseViolation("step \(index) does not fail") }
        } catch let error as CaseViolation {
          throw error
        } catch {
          guard script.fails else { throw CaseViolation("step \(index) fails: \(error)") }
          flags[0] = true
        }
      }
      try check(script, step: index, isDone: !script.fails)
      // The steps after it begin with its version.
      if script.fails, index + 1 < scripts.count {
        try Realm.performMigration(
          for: Self.configuration(path, script.oldVersion, UInt64(index) + 2))
      }
    }
  }

  private func make(_ state: FleetState, version: Int) throws {
    let realm = try Realm(configuration: Self.configuration(path, version, 1))
    try realm.write {
      for (name, all) in state.objects.sorted(by: { $0.key < $1.key }) {
        for (_, values) in all.sorted(by: { $0.key < $1.key }) {
          let key = Fleet.schemas[version][name]?.primaryKeyProperty?.name
          realm.dynamicCreate(
            name,
            value: values.filter { $0.key == "tag" || $0.key == key }
              .compactMapValues { $0.swiftValue { _ in nil } })
        }
      }
      for (name, all) in state.objects {
        for object in realm.dynamicObjects(name) {
          guard let tag = object["tag"] as? Int, let values = all[tag] else { continue }
          for property in object.objectSchema.properties
          where !property.isIndexed || object.objectSchema.primaryKeyProperty != property {
            guard let value = values[property.name] else { continue }
            object[property.name] = value.swiftValue { tag in
              property.objectClassName.flatMap {
                realm.dynamicObjects($0).filter("tag = $0", tag).first
              }
            }
          }
        }
      }
    }
    try compare(state, FleetState(realm, classNames: state.objects.keys), "at first")
  }

  private func compare(_ state: FleetState, _ found: FleetState, _ when: String) throws {
    guard let difference = state.difference(from: found) else { return }
    throw CaseViolation("\(when): \(difference)")
  }

  /// Checks that the file is as before or after a migration.
  private func check(_ script: FleetScript, step: Int, isDone: Bool) throws {
    let database = try Database.open(path, options: .init(mode: .readOnly))
    defer { try? database.close() }
    if let finding = try database.check().findings.first {
      throw CaseViolation("step \(step): a check finds: \(finding)")
    }
    let state = isDone ? script.after : script.before
    // Read without the classes of the program: what is there is compared.
    var configuration = Self.configuration(path, 0, isDone ? UInt64(step) + 2 : UInt64(step) + 1)
    configuration.objectTypes = []
    let stored = try schemaVersionAtURL(URL(filePath: path))
    guard stored == configuration.schemaVersion else {
      throw CaseViolation("step \(step): the file has version \(stored)")
    }
    let realm = try Realm(configuration: configuration)
    try compare(
      state, FleetState(realm, classNames: state.objects.keys), "step \(step), done: \(isDone)")
    try database.snapshot().schema.classes.forEach { schema in
      if state.objects[schema.name] == nil {
        throw CaseViolation("step \(step): the class '\(schema.name)' is there")
      }
    }
  }

  /// Lets another process begin with a migration, and kills it at some moment.
  private mutating func kill(_ script: FleetScript, step: Int) throws {
    let child = try ChildProcess(
      ChildProcess.path(ofProgram: "simulate"),
      ["migrator", path, "--seed", "\(number)", "--step", "\(step)"])
    guard try child.receive() == "begin" else {
      throw CaseViolation("a process cannot begin with step \(step)")
    }
    SystemClock.sleep(microseconds: Int.random(in: 0..<60_000, using: &random))
    child.kill()
    _ = child.waitForEnd()
    let isDone = try schemaVersionAtURL(URL(filePath: path)) == UInt64(step) + 2
    if isDone, script.fails { throw CaseViolation("step \(step), which fails, was committed") }
    flags[isDone ? 2 : 1] = true
    try check(script, step: step, isDone: isDone)
  }
}
