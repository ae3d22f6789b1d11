internal import Foundation

/// Where a program keeps the users of its apps and their synced files.
///
/// The per-user data directory of the system, then the program's name: on Linux
/// `$XDG_DATA_HOME/PROGRAM`, or `~/.local/share/PROGRAM`. Below it `apps/APP/users.json`, and
/// `apps/APP/USER/` with that user's files; only their owner can enter.
enum ProgramDirectory {
  static func app(_ id: String) -> URL {
    Realm.Configuration.dataFolder.appendingPathComponent("apps")
      .appendingPathComponent(fileName(id))
  }

  /// A name for a file that no id can leave its directory with.
  ///
  /// Letters, digits, `-` and `_` stay, every other byte becomes `%` and two digits.
  static func fileName(_ id: String) -> String {
    var name = ""
    for byte in id.utf8 {
      let character = Character(UnicodeScalar(byte))
      if character.isASCII, character.isLetter || character.isNumber || "-_".contains(character) {
        name.append(character)
      } else {
        let digits = String(byte, radix: 16)
        name += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return name
  }
}
