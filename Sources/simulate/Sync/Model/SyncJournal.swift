internal import AtollCapture
internal import AtollObjects
internal import AtollSync

/// The messages to the server, in its order, to be judged again at the end of a run.
///
/// A transaction is noted when it arrives, and stays when the tick that judged it was durable. Of
/// one whose tick did not return, the next WELCOME tells whether it was.
struct SyncJournal {
  /// An entry as it was sent: the id of the file at that time, and its number there.
  struct PushID: Hashable {
    var client: UInt64
    var number: UInt64
  }

  /// The permanent identity of an entry, under any number (R3).
  struct PushName: Hashable {
    var entry: EntryName
    var digest: UInt64
  }

  struct Push {
    var id: PushID
    var name: PushName
    var deviceIndex: Int
    var transaction: RecordedTransaction
    /// The set in force at its place in the device's order.
    var subscriptions: Set<SyncSubscription>
    /// The objects that the device held at the cursor that it had confirmed; nil without a cursor.
    var held: Set<ObjectAddress>?
    /// The version of that cursor; 0 without one.
    var confirmedVersion: UInt64
    /// The server's time of the tick that judged it.
    var milliseconds: UInt64 = 0
    /// The newest version of the server before and after the tick.
    var versions: ClosedRange<UInt64> = 0...0
    /// Whether the tick returned.
    var isCertain = false
  }

  /// What arrived and waits for a tick, in its order.
  private enum Arrival {
    case hello(client: UInt64)
    case push(Push)
  }

  private(set) var pushes: [Push] = []
  /// The answers, as last received by the devices.
  private(set) var answers: [PushID: [SyncModel.Verdict]] = [:]
  private var answersByName: [PushName: [SyncModel.Verdict]] = [:]
  /// Messages that the server lost when it was restored.
  private(set) var forgotten: Set<PushID> = []
  /// How many transactions there were at the backup.
  private var backupCount: Int?
  private var waiting: [(connection: ConnectionID, arrival: Arrival)] = []
  /// The connection of each client that said HELLO last, as the server took it in.
  private var holders: [UInt64: ConnectionID] = [:]
  /// Connections that another one replaced.
  private var replaced: Set<ConnectionID> = []

  /// A transaction arrived.
  mutating func note(_ push: Push, from connection: ConnectionID) {
    waiting.append((connection, .push(push)))
  }

  /// A HELLO arrived.
  mutating func noteHello(of client: UInt64, from connection: ConnectionID) {
    waiting.append((connection, .hello(client: client)))
  }

  /// A tick begins with what has arrived over connections that are still there.
  mutating func beginTick(
    version: UInt64, milliseconds: UInt64, _ isOpen: (ConnectionID) -> Bool
  ) {
    for (connection, arrival) in waiting where isOpen(connection) && !replaced.contains(connection)
    {
      switch arrival {
      case .hello(let client):
        if let other = holders.updateValue(connection, forKey: client), other != connection {
          replaced.insert(other)
        }
      case .push(var push):
        let isKnown = pushes.contains { $0.id == push.id }
        guard !isKnown else { continue }
        push.versions = version...UInt64.max
        push.milliseconds = milliseconds
        pushes.append(push)
      }
    }
    waiting = []
  }

  /// The tick is durable.
  mutating func endTick(version: UInt64) {
    for index in pushes.indices where !pushes[index].isCertain {
      guard pushes[index].versions.upperBound == .max else { continue }
      pushes[index].versions = pushes[index].versions.lowerBound...version
      pushes[index].isCertain = true
    }
  }

  /// The server died and restarted: waiting messages are lost, and the last tick is uncertain.
  mutating func serverDied(version: UInt64) {
    waiting = []
    holders = [:]
    replaced = []
    for index in pushes.indices where pushes[index].versions.upperBound == .max {
      let lower = pushes[index].versions.lowerBound
      pushes[index].versions = lower...max(lower, version)
    }
  }

  /// The server says which number of a client was the last that it judged.
  mutating func welcome(client: UInt64, pushed: UInt64) {
    pushes.removeAll { !$0.isCertain && $0.id.client == client && $0.id.number > pushed }
    for index in pushes.indices where pushes[index].id.client == client {
      pushes[index].isCertain = true
    }
  }

  // MARK: Answers

  mutating func note(_ verdicts: [SyncModel.Verdict], to id: PushID, named name: PushName) {
    answers[id] = verdicts
    answersByName[name] = verdicts
  }

  /// The answer to an entry under any number; nil when no device received one.
  func verdicts(named name: PushName) -> [SyncModel.Verdict]? { answersByName[name] }

  // MARK: Backups

  /// Whether it is not known of every transaction if the server has it.
  var isUncertain: Bool { pushes.contains { !$0.isCertain } }

  mutating func backUp() { backupCount = pushes.count }

  /// The server is what it was at the backup.
  mutating func restoreBackup() {
    guard let backupCount else { return }
    waiting = []
    holders = [:]
    replaced = []
    for push in pushes[backupCount...] {
      forgotten.insert(push.id)
      answers[push.id] = nil
      answersByName[push.name] = nil
    }
    pushes.removeSubrange(backupCount...)
  }
}
