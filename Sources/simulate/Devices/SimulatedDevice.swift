#if Sync
internal import Atoll
internal import Foundation
internal import Synchronization
internal import TestSupport

/// The data that the devices share: small, and changed by all of them.
class Sheet: Object {
  @Persisted(primaryKey: true) var key: String
  /// Its number, a slash, and the name of its writer.
  @Persisted var group: String
  @Persisted var text: String
  @Persisted var remark: String?
  @Persisted var lines: List<String>
  @Persisted var next: Sheet?
  @Persisted var parts: List<Sheet>
}

/// The newest commit of a device, which every commit writes down.
class Journal: Object {
  @Persisted(primaryKey: true) var device: String
  @Persisted var last: String
}

/// An app on one device: works on its file, and writes down outside of it what it did.
///
/// Uses what applications use. Nothing in it knows when it will be killed.
actor SimulatedDevice {
  struct Options: Sendable {
    /// Where the device keeps everything.
    var folder: String
    var number: Int
    /// How often the device was started before.
    var session: Int
    var address: String
    var seed: UInt64
    /// How many operations a commit does on one list at most.
    var listOperationCount = 1
  }

  /// Errors found by the device itself.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private let options: Options
  private let log: LineFile
  private let say: @Sendable (String) -> Void
  private var realm: Realm?
  var random: SplitMix64
  private var number = 0

  /// `say` tells the simulation something.
  init(_ options: Options, say: @escaping @Sendable (String) -> Void) throws {
    self.options = options
    self.say = say
    try FileManager.default.createDirectory(
      atPath: options.folder, withIntermediateDirectories: true)
    log = try LineFile(Self.logPath(options.folder))
    // The line before may have been cut off.
    try log.append("")
    let stream = UInt64(options.number) << 32 | UInt64(options.session)
    random = SplitMix64(seed: options.seed ^ stream &* 0x9E37_79B9_7F4A_7C15)
  }

  static func logPath(_ folder: String) -> String { "\(folder)/log" }
  static func viewPath(_ folder: String) -> String { "\(folder)/view.json" }
  static func filePath(_ folder: String) -> String { "\(folder)/flexible.atoll" }

  private static func milliseconds() -> UInt64 {
    UInt64(max(0, Date.now.timeIntervalSince1970 * 1_000))
  }

  // MARK: Opening

  /// Logs in, if the device never did, and opens the file.
  func open() async throws {
    let app = App(
      id: "devices", configuration: AppConfiguration(baseURL: options.address),
      folder: "\(options.folder)/app")
    app.syncManager.errorHandler = { [log] error, _ in Self.handle(error, log) }
    var configuration = try await user(of: app).flexibleSyncConfiguration()
    configuration.fileURL = URL(filePath: Self.filePath(options.folder))
    configuration.objectTypes = [Sheet.self, Journal.self]
    let realm = try await Realm(configuration: configuration, actor: self)
    self.realm = realm
    try verifyJournal(realm)
    say("open")
  }

  private func user(of app: App) async throws -> User {
    if let user = app.currentUser { return user }
    let (email, password) = ("device\(options.number)@example.com", "a long password")
    while true {
      do {
        // A device that was killed on its way has an account already.
        try? await app.emailPasswordAuth.registerUser(email: email, password: password)
        return try await app.login(
          credentials: .emailPassword(email: email, password: password))
      } catch let error as AppError
        where error.code == .httpRequestFailed || error.code == .invalidPassword
        || error.code == .tooManyRequests
      {
        // Without a server, or with one that had too many others, there was no account made either.
        try await _Concurrency.Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// The app's error handler, which logs the error.
  private static func handle(_ error: any Error, _ log: LineFile) {
    guard let error = error as? SyncError, error.code == .writeRejected else {
      try? log.append(DeviceLog.trouble("\(error)"))
      return
    }
    for object in error.compensatingWriteInfo ?? [] {
      try? log.append(DeviceLog.told(object.primaryKeyText))
    }
  }

  /// Each commit that had returned is in the file, whatever became of the process.
  private func verifyJournal(_ realm: Realm) throws {
    let text = try String(contentsOfFile: Self.logPath(options.folder), encoding: .utf8)
    guard let done = try DeviceLog(text).lastDone else { return }
    let journal = realm.object(ofType: Journal.self, forPrimaryKey: "\(options.number)")
    guard let last = journal.flatMap({ WriteName($0.last) }) else {
      throw Fault(description: "lost: the file has no journal, and commit \(done) had returned")
    }
    guard last >= done else {
      throw Fault(description: "lost: the file is at commit \(last), and \(done) had returned")
    }
  }

  private func opened() throws -> Realm {
    guard let realm else { throw Fault(description: "the file is not open") }
    return realm
  }

  // MARK: Working

  /// Commits, changes the subscriptions and parts from the network, until the process is killed.
  func work() async throws {
    let realm = try opened()
    if realm.subscriptions.isEmpty { try subscribe(realm, isGood: true) }
    var offlineCount = 0
    let pace = UploadPace()
    while !_Concurrency.Task.isCancelled {
      switch Int.random(in: 0..<200, using: &random) {
      case 0...2: try subscribe(realm, isGood: Int.random(in: 0..<8, using: &random) > 0)
      case 3 where offlineCount == 0:
        realm.syncSession?.suspend()
        // It may be back before all that had arrived is applied.
        let isBrief = Bool.random(using: &random)
        offlineCount = isBrief ? 1 : Int.random(in: 1...150, using: &random)
      default: try commit(realm)
      }
      if offlineCount > 0 {
        offlineCount -= 1
        if offlineCount == 0 { realm.syncSession?.resume() }
      } else if let session = realm.syncSession, !pace.allowsCommit(session) {
        try await _Concurrency.Task.sleep(for: .milliseconds(250))
      }
      // Now and then a moment of rest, in which a kill finds no transaction.
      if Int.random(in: 0..<4, using: &random) == 0 {
        try await _Concurrency.Task.sleep(
          for: .microseconds(Int.random(in: 0..<8_000, using: &random)))
      } else {
        await _Concurrency.Task.yield()
      }
    }
  }

  /// Asks for other groups, and sometimes for what no server answers.
  private func subscribe(_ realm: Realm, isGood: Bool) throws {
    var wanted: Set<DeviceSubscription> = [.group(.random(in: 0..<4, using: &random))]
    for group in 0..<DeviceSubscription.groupCount where Bool.random(using: &random) {
      wanted.insert(.group(group))
    }
    if Bool.random(using: &random) { wanted.insert(.mine) }
    let subscriptions = realm.subscriptions
    subscriptions.update(
      {
        change(subscriptions, to: wanted)
        if !isGood {
          subscriptions.append(QuerySubscription<Sheet>(name: "bad", where: "next.text == 'x'"))
        }
      }, onComplete: nil)
  }

  private func change(_ set: SyncSubscriptionSet, to wanted: Set<DeviceSubscription>) {
    let wanted = wanted.union([.journal])
    let names = Set(wanted.map(\.name))
    for name in set.compactMap(\.name) where !names.contains(name) { set.remove(named: name) }
    for subscription in wanted where set.first(named: subscription.name) == nil {
      let name = subscription.name
      switch subscription {
      case .group(let number):
        set.append(QuerySubscription<Sheet>(name: name) { $0.group.starts(with: "\(number)/") })
      case .mine:
        let own = "\(options.number)."
        set.append(QuerySubscription<Sheet>(name: name) { $0.text.starts(with: own) })
      case .all: set.append(QuerySubscription<Sheet>(name: name))
      case .journal: set.append(QuerySubscription<Journal>(name: name))
      }
    }
  }

  /// One commit of a few edits, written down before it and after it has returned.
  private func commit(_ realm: Realm) throws {
    let name = WriteName(device: options.number, session: options.session, number: number)
    number += 1
    let begin = Self.milliseconds()
    try realm.write {
      var edits: [DeviceEdit] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let changed = Set(edits.map(\.key))
        if options.listOperationCount > 1, Bool.random(using: &random) {
          edits += editList(
            realm, upTo: options.listOperationCount, first: edits.count, except: changed
          ) { name.value($0) }
          continue
        }
        if let edit = edit(realm, value: name.value(edits.count), except: changed) {
          edits.append(edit)
        }
      }
      realm.create(
        Journal.self, value: ["device": "\(options.number)", "last": "\(name)"],
        update: .modified)
      try log.append(DeviceLog.begin(name, begin, edits))
    }
    try log.append(DeviceLog.done(name, Self.milliseconds()))
    try log.synchronize()
    say("commit")
  }

  // MARK: Edits

  /// About so many objects on a device, so that devices meet.
  private static let sheetCount = 60

  private func edit(_ realm: Realm, value: String, except changed: Set<String>) -> DeviceEdit? {
    let sheets = realm.objects(Sheet.self)
    let count = sheets.count
    if Int.random(in: 0..<Self.sheetCount, using: &random) >= count
      || Int.random(in: 0..<20, using: &random) == 0
    {
      return create(realm, value: value, except: changed)
    }
    guard count > 0 else { return nil }
    let sheet = sheets[Int.random(in: 0..<count, using: &random)]
    let key = sheet.key
    if changed.contains(key) { return nil }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<8 where count > Self.sheetCount / 4:
      realm.delete(sheet)
      return .delete(key: key)
    case 8..<30:
      sheet.text = value
      return .set(key: key, property: "text")
    case 30..<42:
      sheet.remark = value
      return .set(key: key, property: "remark")
    case 42..<52:
      // It may leave the view of devices, this one too.
      sheet.group = "\(Int.random(in: 0..<4, using: &random))/\(value)"
      return .set(key: key, property: "group")
    case 52..<62:
      let other = sheets[Int.random(in: 0..<count, using: &random)]
      if Bool.random(using: &random) {
        sheet.next = other
      } else if sheet.parts.count < 4 {
        sheet.parts.append(other)
      } else {
        sheet.parts.remove(at: Int.random(in: 0..<sheet.parts.count, using: &random))
      }
      return .link(key: key)
    default: return editLines(of: sheet, key, value)
    }
  }

  private func editLines(of sheet: Sheet, _ key: String, _ value: String) -> DeviceEdit {
    let count = sheet.lines.count
    let place = Int.random(in: 0...count, using: &random)
    if place < count {
      let old = sheet.lines[place]
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        sheet.lines[place] = value
        return .replace(key: key, old: old)
      case 4...6 where count > 2:
        sheet.lines.remove(at: place)
        return .remove(key: key, old: old)
      default: break
      }
    }
    sheet.lines.insert(value, at: place)
    return .insert(key: key)
  }

  /// Makes an object, mostly one that no other device knows, in a group that may be out of view.
  private func create(
    _ realm: Realm, value: String, except changed: Set<String>
  ) -> DeviceEdit? {
    let isShared = Int.random(in: 0..<5, using: &random) == 0
    let key = isShared ? "x\(Int.random(in: 0..<12, using: &random))" : value
    guard !changed.contains(key), realm.object(ofType: Sheet.self, forPrimaryKey: key) == nil
    else { return nil }
    let groups = realm.subscriptions.compactMap { subscription in
      if case .group(let number) = DeviceSubscription(subscription.name ?? "") { return number }
      return nil
    }
    let group =
      Int.random(in: 0..<10, using: &random) == 0 ? nil : groups.randomElement(using: &random)
    let sheet = Sheet()
    sheet.key = key
    sheet.group = "\(group ?? Int.random(in: 0..<4, using: &random))/\(value)"
    sheet.text = value
    realm.add(sheet)
    return .create(key: key)
  }

  // MARK: The end

  /// Takes the last subscriptions, and waits until the server has answered everything.
  func settle(_ names: [String]) async throws {
    let realm = try opened()
    realm.syncSession?.reconnect()
    let subscriptions = realm.subscriptions
    try await subscriptions.update {
      change(subscriptions, to: Set(names.compactMap { DeviceSubscription($0) }))
    }
    try await realm.syncSession?.wait(for: .upload)
    await realm.syncSession?.waitForHandler()
    say("uploaded")
  }

  /// Waits until all that the server has is here, and writes what the app sees beside it.
  func gather() async throws {
    let realm = try opened()
    try await realm.syncSession?.wait(for: .download)
    await realm.syncSession?.waitForHandler()
    realm.refresh()
    var view = DeviceView()
    view.subscriptions = realm.subscriptions.compactMap(\.name).sorted()
    for journal in realm.objects(Journal.self) { view.journals[journal.device] = journal.last }
    for sheet in realm.objects(Sheet.self) {
      view.sheets[sheet.key] = DeviceView.Sheet(
        group: sheet.group, text: sheet.text, remark: sheet.remark, lines: Array(sheet.lines),
        next: sheet.next?.key, parts: sheet.parts.map(\.key))
    }
    try JSONEncoder().encode(view).write(to: URL(filePath: Self.viewPath(options.folder)))
    say("gathered")
  }
}
#endif
