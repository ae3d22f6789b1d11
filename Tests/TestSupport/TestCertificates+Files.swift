internal import Foundation

extension TestCertificates {
  /// Writes a certificate and its key.
  ///
  /// - Returns: The paths of the two files.
  @discardableResult
  package static func write(
    _ certificate: String, _ key: String, in folder: TemporaryFolder
  ) throws -> (certificate: String, key: String) {
    (
      try write(certificate, to: "server.pem", in: folder),
      try write(key, to: "server.key", in: folder)
    )
  }

  /// Writes a file of the folder; returns its path.
  package static func write(
    _ text: String, to name: String, in folder: TemporaryFolder
  ) throws -> String {
    let path = folder.path(of: name)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}
