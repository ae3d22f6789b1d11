internal import Atoll
internal import AtollObjects
internal import Foundation
internal import Synchronization
internal import TestSupport

/// One file that goes through several versions of its classes, compared with the model after each.
///
/// Some migrations are done by other processes: `MigrationTrial+Processes`.
struct MigrationTrial {
  let number: UInt64
  var random: SplitMix64
  private let folder = TemporaryFolder()
  /// Whether a migration failed, one was killed before its commit, one after it, and one was done by
  /// two processes at once.
  var flags = [false, false, false, false]
  /// How many writes of processes that read and wrote beside migrations have returned.
  var tallyCount = 0
  private(set) var objectCount = 0

  init(number: UInt64) {
    self.number = number
    random = SplitMix64(seed: ~number)
  }

  var path: String { folder.path(of: "fleet.realm") }

  /// The migrations of a number, whatever becomes of them: each follows from those before.
  static func scripts(_ number: UInt64) -> [FleetScript] {
    var random = SplitMix64(seed: number)
    var version = Int.random(in: 0..<Fleet.versions.count, using: &random)
    var tag = 1
    var state = FleetState()
    let schemas = Fleet.schemas[version].filter { !$0.value.isEmbedded }
      .sorted { $0.key < $1.key }
    for (name, schema) in schemas {
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
    for (name, schema) in schemas {
      for tag in (bare.objects[name] ?? [:]).keys.sorted() {
        for property in schema.properties where bare.objects[name]?[tag]?[property.name] == nil {
          state.objects[name]?[tag]?[property.name] = FleetMaker.value(
            property, bare, version, &random)
        }
      }
    }
    for case .unique(let name, let properties) in Fleet.rules[version] {
      let text = properties.first { Fleet.schemas[version][name]?[$0]?.type == .string }
      while let text, let (_, tag) = state.equals(name, properties) {
        state.objects[name]?[tag]?[text] = .string("only \(tag)")
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

  static func configuration(
    _ path: String, _ version: Int, _ schemaVersion: UInt64, _ block: MigrationBlock? = nil
  ) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(filePath: path), schemaVersion: schemaVersion, migrationBlock: block,
      objectTypes: Fleet.versions[version] + [Fleet.tally])
  }

  /// Does one of the migrations of a number, in the file at a path.
  ///
  /// - Returns: Whether the block has run.
  /// - Throws: What the migration fails with.
  @discardableResult
  static func migrate(_ path: String, _ script: FleetScript, step: Int) throws -> Bool {
    let hasRun = Mutex(false)
    let configuration = configuration(path, script.newVersion, UInt64(step) + 2) { migration, _ in
      hasRun.withLock { $0 = true }
      script.run(migration)
    }
    try Realm.performMigration(for: configuration)
    return hasRun.withLock { $0 }
  }

  mutating func run() throws {
    let scripts = Self.scripts(number)
    guard let first = scripts.first else { return }
    objectCount = first.before.objects.values.reduce(0) { $0 + $1.count }
    try make(first.before, version: first.oldVersion)
    for (index, script) in scripts.enumerated() {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...1: try migrateAndKill(script, step: index)
      case 2: try migrateTogether(script, step: index)
      default: break
      }
      let stored = try schemaVersionAtURL(URL(filePath: path))
      if stored < UInt64(index) + 2 {
        do {
          try Self.migrate(path, script, step: index)
          if script.fails {
            throw CaseViolation("step \(index) does not fail: \(script.failures)")
          }
        } catch let error as CaseViolation {
          throw error
        } catch {
          guard script.expects(error) else { throw CaseViolation("step \(index) fails: \(error)") }
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
      realm.add(Tally())
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
              state.className(of: tag).flatMap {
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
  func check(_ script: FleetScript, step: Int, isDone: Bool) throws {
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
    let snapshot = try database.snapshot()
    for schema in snapshot.schema.classes {
      let count = try snapshot.table(schema.name).count
      if schema.isEmbedded {
        let expected = state.embeddedCount(
          of: schema.name, in: isDone ? script.newVersion : script.oldVersion)
        guard count == expected else {
          throw CaseViolation("step \(step): \(count) of \(expected) objects of '\(schema.name)'")
        }
      } else if state.objects[schema.name] == nil, schema.name != Fleet.tally.className() {
        throw CaseViolation("step \(step): the class '\(schema.name)' is there")
      }
    }
    let tally = realm.dynamicObjects(Fleet.tally.className()).first?["count"] as? Int
    guard tally == tallyCount else {
      throw CaseViolation("step \(step): \(tally ?? -1) of \(tallyCount) writes are there")
    }
  }
}
