#if Sync
import AtollObjects
import AtollSync
import Foundation
import TestSupport
import TestThreads
import Testing

@testable import AtollServer

/// The contents of a configuration, and the line of an error in it.
@Suite(.computing) struct ServerConfigurationTests {
  private static let text = """
    app: my-app
    login:
      anonymous: true
    classes:
      Task:
        key: _id
        properties:
          _id: objectId
          owner: string
          due: date?
          tags: list<string>
          notes: map<string?>
          place: Place
          next: Task
          team: int
      Place:
        embedded: true
        properties: {city: string}
      Member:
        key: _id
        properties: {_id: string, teams: list<int>, level: int}
    userData: Member
    queryable:
      "*": [owner]
      Task: [due, team]
    indexedQueryable: team
    roles:
      Task:
        - name: boss
          when: level > 5
          read: true
        - name: owner
          read: owner == $user.id OR team IN $user.data.teams
          write: owner == $user.id
          insert: true
          properties: {due: read, tags: none}
      "*":
        - {name: all, users: [a, b], read: true}
    """

  private func rules(_ text: String) throws -> ServerRules {
    let configuration = try ServerConfiguration(yaml: text, path: "server.yaml")
    let database = try Database.inMemory()
    return try AtollStore(database).declare(configuration.classes) { schema in
      try configuration.serverRules(in: schema)
    }
  }

  @Test func aConfigurationIsRead() throws {
    let configuration = try ServerConfiguration(yaml: Self.text, path: "server.yaml")
    #expect(configuration.app == "my-app")
    #expect(configuration.login.isAnonymousAllowed)
    #expect(!configuration.login.isPasswordAllowed && !configuration.login.isRegistrationOpen)
    #expect(configuration.classes.map(\.name) == ["Task", "Place", "Member"])
    #expect(
      configuration.classes[0].properties == [
        PropertySchema("_id", .objectID), PropertySchema("owner", .string),
        PropertySchema("due", .date, isOptional: true),
        PropertySchema("tags", .string, collection: .list),
        PropertySchema("notes", .string, collection: .map, isOptional: true),
        PropertySchema("place", linkTo: "Place"), PropertySchema("next", linkTo: "Task"),
        PropertySchema("team", .int),
      ])
    let rules = try rules(Self.text)
    #expect(rules.userClass == "Member" && rules.partition == "team")
    #expect(rules.classes.keys.map(\.text).sorted() == ["Member", "Task"])
    let task = try #require(rules.classes["Task"])
    #expect(task.queryable == ["owner", "due", "team"])
    #expect(task.roles.map(\.name) == ["boss", "owner"])
    #expect(task.roles[0].write == .none && task.roles[0].read == .all)
    #expect(task.roles[1].insert == .all && task.roles[1].delete == .none)
    #expect(task.roles[1].properties == PropertyRights(named: ["due": .read, "tags": .none]))
    let member = try #require(rules.classes["Member"])
    #expect(member.roles == [Role("all", application: .users(["a", "b"]), read: .all)])
    #expect(member.queryable == [])
  }

  /// Replaces a text in the configuration, and gives the line and the words that the error must
  /// name.
  @Test(arguments: [
    ("app: my-app", "ap: my-app", 1, "did you mean 'app'?"),
    ("  anonymous: true", "  anonymous: perhaps", 3, "true or false"),
    ("  anonymous: true", "  anonymous: false", 2, "no user can log in"),
    ("owner: string", "owner: strong?y", 9, "'strong?y' is no type"),
    ("    key: _id\n    properties:\n", "    key: id\n    properties:\n", 6, "no property 'id'"),
    ("    embedded: true\n", "", 16, "needs a key"),
    ("userData: Member", "userData: Task2", 22, "no class 'Task2'"),
    ("userData: Member", "", 30, "name its class as userData"),
    ("  Task: [due, team]", "  Task: [duo]", 25, "did you mean 'due'?"),
    ("  Task: [due, team]", "  Tusk: [due]", 25, "did you mean 'Task'?"),
    ("indexedQueryable: team", "indexedQueryable: shop", 26, "no class has a 'shop'"),
    ("when: level > 5", "when: levl > 5", 30, "no property 'levl'"),
    ("when: level > 5", "users: []\n      when: level > 5", 30, "make it two roles"),
    ("      when: level > 5\n", "", 31, "never applies: 'boss' before it is everybody's"),
    ("- name: owner", "- name: boss", 32, "is there twice"),
    ("- name: owner\n", "- nome: owner\n", 32, "did you mean 'name'?"),
    ("write: owner == $user.id", "write: owner == $0", 34, "there are no other arguments"),
    ("write: owner == $user.id", "write: false", 35, "'insert' needs 'write'"),
    ("read: owner == $user.id OR team IN $user.data.teams", "read: false", 34, "add 'read'"),
    ("{due: read, tags: none}", "{due: red}", 36, "none, read or write"),
    ("{due: read, tags: none}", "{_id: read}", 36, "is the key"),
    ("  Task:\n    - name: boss", "  Task:\n    - name: [boss", 30, "this is no YAML"),
    ("app: my-app", "app: my-app\napp: two", 1, "'app' is there twice"),
    ("app: my-app", "server: {connectionsPerHost: 0}", 1, "at least 1"),
    ("app: my-app", "server: {connectionPerHost: 9}", 1, "mean 'connectionsPerHost'?"),
    ("app: my-app", "trustedProxies: 10.0.0.0/8", 1, "a list is expected"),
    ("app: my-app", "trustedProxies: [10.0.0.1/8]", 1, "no address and no network"),
    ("app: my-app", "trustedProxies:\n  - ::1\n  - proxy.example.com", 3, "no address and no"),
    ("app: my-app", "trustedProxies: [0.0.0.0/0]", 1, "is everybody"),
    ("app: my-app", "proxyHeader: Forwarded", 1, "no effect without 'trustedProxies'"),
    (
      "app: my-app", "trustedProxies: [10.0.0.1]\nproxyHeader: X-Real-IP", 2,
      "it is X-Forwarded-For or"
    ),
  ])
  func aMistakeIsToldWithItsLine(old: String, new: String, line: Int, words: String) throws {
    let found = try #require(Self.text.range(of: old))
    let text = Self.text.replacingCharacters(in: found, with: new)
    let error = #expect(throws: ConfigurationError.self) { try rules(text) }
    #expect(error?.line == line, "\(String(describing: error))")
    #expect(error?.text.contains(words) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("", nil as Int?, "is empty"), ("# roles:\n", nil, "is empty"),
    ("app: a/b\n", 1, "no id of an app"),
    ("app: my tasks\n", 1, "no id of an app"),
  ])
  func anEmptyFileOrAnImpossibleAppIsRefused(text: String, line: Int?, words: String) {
    let error = #expect(throws: ConfigurationError.self) {
      try ServerConfiguration(yaml: text, path: "server.yaml")
    }
    #expect(error?.text.contains(words) == true, "\(String(describing: error))")
    if let line { #expect(error?.line == line) }
  }

  @Test func registrationIsClosedUnlessItIsOpened() throws {
    func login(_ text: String) throws -> ServerConfiguration.Login {
      try ServerConfiguration(yaml: "app: a\nlogin: {password: true\(text)}", path: "x").login
    }
    #expect(try !login("").isRegistrationOpen)
    #expect(try login(", registration: true").isRegistrationOpen)
    #expect(throws: ConfigurationError.self) {
      try ServerConfiguration(yaml: "app: a\nlogin: {registration: true}", path: "x")
    }
  }

  @Test func whatIsPrintedIsReadBack() throws {
    let example = ConfigurationPrinter.text(classes: [], app: nil)
    let read = try ServerConfiguration(yaml: example, path: "example")
    #expect(try rules(example).classes["Task"]?.roles.map(\.name) == ["owner"])
    #expect(read.app == "my-app" && read.login.isRegistrationOpen)
    let classes = try ServerConfiguration(yaml: Self.text, path: "x").classes
    let printed = ConfigurationPrinter.text(classes: classes, app: "yes")
    let again = try ServerConfiguration(yaml: printed, path: "printed")
    #expect(again.app == "yes")
    #expect(again.classes == classes.sorted { $0.name < $1.name })
  }

  /// A server accepts the configuration in the documentation.
  @Test func theConfigurationOfTheDocumentationIsRead() throws {
    let text = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
    let start = try #require(text.range(of: "```yaml\n")).upperBound
    let end = try #require(text.range(of: "```", range: start..<text.endIndex)).lowerBound
    let rules = try rules(String(text[start..<end]))
    #expect(rules.classes["Task"]?.roles.map(\.name) == ["admin", "member"])
  }

  @Test func limitsAreRead() throws {
    func limits(_ text: String) throws -> UserLimits {
      try ServerConfiguration(yaml: text, path: "server.yaml").limits
    }
    #expect(try limits("app: a") == UserLimits())
    var expected = UserLimits()
    expected.connectionCount = 3
    expected.bytesPerMinute = 1_000
    expected.storedByteCount = 2 << 30
    #expect(
      try limits("limits: {connections: 3, bytesPerMinute: 1000, storedBytes: 2 GiB}") == expected)
    for (text, words) in [
      ("connections: 0", "at least 1"), ("connections: many", "a number is expected"),
      ("conections: 3", "did you mean 'connections'?"), ("subscriptions: 20000", "from 1 to 10000"),
      ("operationsPerMinute: -5", "at least 1"),
      ("unfinishedBytes: 1000000", "at least 64 MiB"), ("views: 0", "at least 1"),
      ("storedBytes: 3 apples", "a size is expected"),
    ] {
      let error = #expect(throws: ConfigurationError.self) { try limits("limits:\n  \(text)") }
      #expect(error?.line == 2)
      #expect(error?.text.contains(words) == true, "\(String(describing: error))")
    }
    // What the documentation and the printed configuration show are the defaults.
    let page = try GoldenFiles.text("Sources/Atoll/Atoll.docc/RunAServer.md")
    let start = try #require(page.range(of: "```yaml\nlimits:")).lowerBound
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)).lowerBound
    #expect(try limits(String(page[start..<end].dropFirst("```yaml\n".count))) == UserLimits())
    let printed = ConfigurationPrinter.text(classes: [], app: nil)
      .split(separator: "\n").drop { !$0.hasPrefix("# limits:") }.prefix(3)
    #expect(try limits(printed.map { $0.dropFirst(2) }.joined(separator: "\n")) == UserLimits())
  }

  @Test func classesThatConflictWithTheStoreAreRefused() throws {
    let store = AtollStore(try Database.inMemory())
    let own = try ServerConfiguration(yaml: Self.text, path: "x").classes
    try store.declare(own) { _ in }
    var other = own
    other[2].properties[2] = PropertySchema("level", .string)
    other.append(ClassSchema("New", properties: [PropertySchema("_id", .int)], primaryKey: "_id"))
    #expect {
      try store.declare(other) { _ in }
    } throws: { error in
      (error as? SchemaConflict)?.text
        == "Member.level is string in the configuration and int on the server"
    }
    #expect(try store.declare([]) { $0["New"] == nil })
  }

  /// Its classes stayed permanently, and with them their errors.
  @Test func ofAConfigurationWithAWrongRuleNothingStaysInTheStore() throws {
    let database = try Database.inMemory()
    let store = AtollStore(database)
    let text = """
      classes:
        New:
          key: _id
          properties: {_id: int, level: string}
      roles:
        New:
          - {name: all, read: nothing == 1}
      """
    let wrong = try ServerConfiguration(yaml: text, path: "x")
    #expect(wrong.classes.map(\.name) == ["New"])
    #expect(throws: ConfigurationError.self) {
      try store.declare(wrong.classes) { try wrong.serverRules(in: $0) }
    }
    #expect(try store.declare([]) { $0["New"] == nil })
  }
}
#endif
