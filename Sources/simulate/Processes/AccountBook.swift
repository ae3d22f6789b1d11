internal import AtollObjects
internal import TestSupport

/// One object of the class that the processes change.
struct Account: Equatable {
  var balance: Int64
  /// The commit that changed it last.
  var stamp: Int64
  var text: String

  /// A number that differs for every other account, with near certainty.
  func digest(id: Int64) -> UInt64 {
    var digest: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ word: UInt64) {
      digest = (digest ^ word) &* 0xD6E8_FEB8_6659_FD93
      digest ^= digest >> 32
    }
    for number in [id, balance, stamp, Int64(text.utf8.count)] { mix(UInt64(bitPattern: number)) }
    for byte in text.utf8 { mix(UInt64(byte)) }
    return digest
  }
}

/// Where accounts are kept: a transaction, or the model in the parent's memory.
protocol AccountStore {
  func account(_ id: Int64) throws -> Account?
  mutating func put(_ id: Int64, _ account: Account) throws
  mutating func remove(_ id: Int64) throws
}

/// The work of the processes: commit n of a seed does the same wherever it is done.
///
/// The state after commit n follows from the seed and n alone. So the contents of a version follow
/// from its commit number, and processes need not exchange them.
///
/// Invariant: the balances of all accounts add up to `total`.
struct AccountBook {
  let seed: UInt64

  static let accountCount: Int64 = 240
  static let startBalance: Int64 = 1_000
  static let total = accountCount * startBalance

  /// Commit 0.
  func begin(_ store: inout some AccountStore) throws {
    for id in 0..<Self.accountCount {
      try store.put(id, Account(balance: Self.startBalance, stamp: 0, text: ""))
    }
  }

  /// Commit `number`: what it changes depends on the state that it finds, which is the same
  /// everywhere.
  func commit(_ number: Int64, _ store: inout some AccountStore) throws {
    var random = SplitMix64(seed: seed ^ UInt64(bitPattern: number) &* 0xBF58_476D_1CE4_E5B9)
    switch Int.random(in: 0..<20, using: &random) {
    case 0:
      // More pages than a header slot lists.
      for id in 0..<Self.accountCount {
        try change(id, by: 0, number, &store, &random)
      }
    case 1...3:
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let id = Int64.random(in: 1..<Self.accountCount, using: &random)
        if let account = try store.account(id) {
          try store.remove(id)
          try change(0, by: account.balance, number, &store, &random)
        } else {
          try store.put(id, Account(balance: 0, stamp: number, text: Self.text(&random)))
        }
      }
    default:
      for _ in 0..<Int.random(in: 1...10, using: &random) {
        let amount = Int64.random(in: -500...500, using: &random)
        let (from, to) = (
          Int64.random(in: 0..<Self.accountCount, using: &random),
          Int64.random(in: 0..<Self.accountCount, using: &random)
        )
        guard from != to, try store.account(from) != nil, try store.account(to) != nil else {
          continue
        }
        try change(from, by: -amount, number, &store, &random)
        try change(to, by: amount, number, &store, &random)
      }
    }
  }

  private func change(
    _ id: Int64, by amount: Int64, _ number: Int64, _ store: inout some AccountStore,
    _ random: inout SplitMix64
  ) throws {
    guard var account = try store.account(id) else { return }
    account.balance += amount
    account.stamp = number
    account.text = Self.text(&random)
    try store.put(id, account)
  }

  /// Mostly short; now and then so long that it has pages of its own.
  private static func text(_ random: inout SplitMix64) -> String {
    let isLong = Int.random(in: 0..<300, using: &random) == 0
    let byteCount = Int.random(in: isLong ? 5_000...40_000 : 0...400, using: &random)
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    while bytes.count < byteCount {
      bytes.append(letters[Int(random.next() % UInt64(letters.count))])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The accounts as they should be.
struct AccountModel: AccountStore {
  private let book: AccountBook
  private(set) var accounts: [Int64: Account] = [:]
  private(set) var number: Int64 = 0

  init(_ book: AccountBook) throws {
    self.book = book
    try book.begin(&self)
  }

  /// Advances to the state after commit `number`.
  mutating func advance(to number: Int64) throws {
    while self.number < number {
      self.number += 1
      try book.commit(self.number, &self)
    }
  }

  func account(_ id: Int64) -> Account? { accounts[id] }
  mutating func put(_ id: Int64, _ account: Account) { accounts[id] = account }
  mutating func remove(_ id: Int64) { accounts[id] = nil }
}
