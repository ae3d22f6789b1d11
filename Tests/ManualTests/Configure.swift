import Foundation
import RealmSwift
import TestSupport
import TestThreads
import Testing

@Suite(.computing) struct ConfigurePage {
  // Page begins here
  class Dog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
  }

  func configuration(of url: URL, key: Data) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: url, encryptionKey: key,
      shouldCompactOnLaunch: { byteCount, usedByteCount in
        byteCount > 100 << 20 && usedByteCount < byteCount / 2
      },
      objectTypes: [Dog.self])
    configuration.durability = .full
    configuration.failureHandler = { error in print("the data cannot be read: \(error)") }
    return configuration
  }
  // Page ends here

  // Page begins here
  func open(_ configuration: Realm.Configuration) -> String {
    do {
      let realm = try Realm(configuration: configuration)
      return "open, \(realm.objects(Dog.self).count) dogs"
    } catch Realm.Error.fileNotFound {
      return "there is no such file"
    } catch let error as Realm.Error where error.code == .invalidDatabase {
      return "another key, or no database: \(error.message)"
    } catch {
      return "\(error)"
    }
  }
  // Page ends here

  // Page begins here
  func writeLog(to file: FileHandle) {
    Logger.shared = Logger(level: .info) { level, message in
      file.write(Data("\(level): \(message)\n".utf8))
    }
  }
  // Page ends here

  @Test func aFileIsEncryptedAndErrorsAreTold() throws {
    let folder = TemporaryFolder()
    let url = URL(filePath: folder.path(of: "a.realm"))
    var readOnly = Realm.Configuration(fileURL: url, readOnly: true, objectTypes: [Dog.self])
    #expect(open(readOnly) == "there is no such file")
    #expect(open(configuration(of: url, key: Data(repeating: 7, count: 64))) == "open, 0 dogs")
    let other = open(configuration(of: url, key: Data(repeating: 8, count: 64)))
    #expect(other.hasPrefix("another key"))
    readOnly.encryptionKey = Data(repeating: 7, count: 64)
    #expect(open(readOnly) == "open, 0 dogs")
  }
}
