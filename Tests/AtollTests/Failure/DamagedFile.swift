import Atoll
import Foundation
import Synchronization
import TestSupport

/// A class whose pages are damaged.
final class Sheet: Object {
  @Persisted(primaryKey: true) var number = 0
  @Persisted var text = ""
  @Persisted var size = 0
  @Persisted var isOpen = true
  @Persisted var weight = 1.5
  @Persisted var day = Date(timeIntervalSince1970: 7)
  @Persisted var bytes = Data([1])
  @Persisted var note: String?
  @Persisted var any: AnyRealmValue
  @Persisted var next: Sheet?
  @Persisted var words: List<String>
  @Persisted var sheets: List<Sheet>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var byName: Map<String, Int>
  @Persisted var label: SheetLabel?
  @Persisted(originProperty: "next") var previous: LinkingObjects<Sheet>
}

final class SheetLabel: EmbeddedObject {
  @Persisted var text = ""
}

/// A class of the same file whose pages are whole.
final class Stone: Object {
  @Persisted(primaryKey: true) var number = 0
  @Persisted(indexed: true) var text = ""
  @Persisted var sheet: Sheet?
  @Persisted var sheets: List<Sheet>
}

/// What was told to the handler of a configuration.
final class ToldFailures: Sendable {
  private let told = Mutex<[Realm.Error]>([])

  var all: [Realm.Error] { told.withLock { $0 } }
  var count: Int { all.count }

  func tell(_ error: Realm.Error) { told.withLock { $0.append(error) } }

  /// Returns how many were told while `body` ran.
  func during(_ body: () throws -> Void) rethrows -> Int {
    let before = count
    try body()
    return count - before
  }
}

/// A file in which the objects of one class can be damaged while it is open, and put right again.
final class DamagedFile {
  static let count = 400

  let told = ToldFailures()
  private(set) var configuration: Realm.Configuration
  private let folder = TemporaryFolder()
  /// The leaves of the class, by their places in the file, with their bytes.
  private var leaves: [(place: UInt64, bytes: Data)] = []

  /// `hasHandler`: whether somebody is told of failures.
  init(hasHandler: Bool = true) throws {
    configuration = Realm.Configuration(
      fileURL: URL(filePath: folder.path(of: "sheets.realm")),
      objectTypes: [Sheet.self, SheetLabel.self, Stone.self])
    if hasHandler {
      configuration.failureHandler = { [told] failure in told.tell(failure) }
    }
    // Nothing holds the file open after this: it is read anew.
    let places = try Self.fill(configuration)
    let file = try FileHandle(forReadingFrom: Self.url(of: configuration))
    defer { try? file.close() }
    for place in places {
      try file.seek(toOffset: place.lowerBound)
      leaves.append((place.lowerBound, try file.read(upToCount: place.count) ?? Data()))
    }
  }

  private static func url(of configuration: Realm.Configuration) throws -> URL {
    guard let url = configuration.fileURL else { throw Realm.Error(.fileNotFound) }
    return url
  }

  /// Makes the objects, and returns where those lie that are to be damaged.
  private static func fill(_ configuration: Realm.Configuration) throws -> [Range<UInt64>] {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      var last: Sheet?
      for number in 1...count {
        let sheet = Sheet()
        sheet.number = number
        // No two are alike, so that they take pages of their own.
        sheet.text = "\(number) \(UUID())"
        sheet.size = number
        sheet.note = "\(UUID())"
        sheet.any = .string("\(UUID())")
        sheet.next = last
        sheet.words.append(objectsIn: ["a", "\(number)"])
        if let last { sheet.sheets.append(last) }
        sheet.numbers.insert(number)
        sheet.byName["n"] = number
        sheet.label = SheetLabel(value: ["text": "\(number)"])
        realm.add(sheet)
        last = sheet
      }
    }
    try realm.write {
      for number in 1...10 {
        let stone = Stone()
        stone.number = number
        stone.text = "stone \(number)"
        realm.add(stone)
        stone.sheet = realm.object(ofType: Sheet.self, forPrimaryKey: number)
        stone.sheets.append(objectsIn: realm.objects(Sheet.self).prefix(number))
      }
    }
    return try leafPlaces(of: "Sheet", in: realm) + leafPlaces(of: "SheetLabel", in: realm)
  }

  func realm() throws -> Realm { try Realm(configuration: configuration) }

  /// Changes the pages of the class, as a disk does that loses its contents.
  func damage() throws {
    try write { Data(repeating: 0xA5, count: $0.count) }
  }

  /// Puts back what was there.
  func mend() throws { try write { $0 } }

  private func write(_ bytes: (Data) -> Data) throws {
    let file = try FileHandle(forUpdating: Self.url(of: configuration))
    defer { try? file.close() }
    for leaf in leaves {
      try file.seek(toOffset: leaf.place)
      try file.write(contentsOf: bytes(leaf.bytes))
    }
  }
}
