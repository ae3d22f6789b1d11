#if Sync
extension ServerConfiguration {
  /// Reads the log-ins; without the section, every user with or without an account may log in.
  ///
  /// `folder`: where a file that is named without its folder lies.
  static func login(
    _ node: ConfigurationNode?, folder: String
  ) throws(ConfigurationError) -> Login {
    var login = Login()
    guard let node else { return login }
    let values = try node.values(
      of: "login", ["anonymous", "password", "registration", "jwt", "keys"])
    login.isAnonymousAllowed = try values["anonymous"]?.flag("login.anonymous") ?? false
    login.isPasswordAllowed = try values["password"]?.flag("login.password") ?? false
    login.isRegistrationOpen = try values["registration"]?.flag("login.registration") ?? false
    if login.isRegistrationOpen, !login.isPasswordAllowed, let node = values["registration"] {
      throw node.error("login: 'registration' needs 'password: true'")
    }
    login.issuer = try values["jwt"].map { node throws(ConfigurationError) in
      try issuer(node, folder: folder)
    }
    login.keys = try values["keys"].map(keys) ?? []
    let isClosed =
      !login.isAnonymousAllowed && !login.isPasswordAllowed && login.issuer == nil
      && login.keys.isEmpty
    guard !isClosed else {
      throw node.error(
        "login: no user can log in; set 'anonymous' or 'password' to true, or add 'jwt' or 'keys'")
    }
    return login
  }

  private static let sessionDayRange = 1...3_650

  private static func issuer(
    _ node: ConfigurationNode, folder: String
  ) throws(ConfigurationError) -> TokenIssuer {
    let values = try node.values(
      of: "login.jwt", ["algorithm", "key", "keyFile", "issuer", "audience", "sessionDays"])
    let names = TokenIssuer.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
    guard let name = try values["algorithm"]?.text("login.jwt.algorithm"),
      let algorithm = TokenIssuer.Algorithm(rawValue: name.value)
    else {
      throw (values["algorithm"] ?? node).error("login.jwt: 'algorithm' is one of \(names)")
    }
    let key: String
    switch (values["key"], values["keyFile"]) {
    case (let node?, nil): key = try node.text("login.jwt.key").value
    case (nil, let node?): key = try text(ofFile: node, folder: folder)
    default: throw node.error("login.jwt needs 'key' or 'keyFile', and not both")
    }
    let issuer = try values["issuer"]?.text("login.jwt.issuer").value
    let audience = try values["audience"]?.text("login.jwt.audience").value
    let sessionDays = try values["sessionDays"].map { node throws(ConfigurationError) in
      let days = try node.number("login.jwt.sessionDays")
      guard sessionDayRange.contains(days) else {
        throw node.error(
          "login.jwt.sessionDays: a number from \(sessionDayRange.lowerBound) to "
            + "\(sessionDayRange.upperBound) is expected; without it a log-in ends with its token")
      }
      return days
    }
    do throws(TokenIssuer.KeyProblem) {
      var result = try TokenIssuer(algorithm, key: key, issuer: issuer, audience: audience)
      result.sessionDays = sessionDays
      return result
    } catch {
      throw (values["key"] ?? values["keyFile"] ?? node).error(
        error == .shortSecret
          ? "login.jwt: a secret for HS256 has at least 32 bytes"
          : "login.jwt: this is no public key in PEM for \(algorithm.rawValue)")
    }
  }

  private static func keys(
    _ node: ConfigurationNode
  ) throws(ConfigurationError) -> [APIKey] {
    var keys: [APIKey] = []
    for element in try node.list("login.keys") {
      let values = try element.values(of: "a key", ["name", "sha256"])
      guard let name = try values["name"]?.text("login.keys, name").value else {
        throw element.error("a key needs a name")
      }
      guard let digest = try values["sha256"]?.text("login.keys, sha256").value,
        let key = APIKey(name: name, digest: digest)
      else {
        throw element.error(
          "key '\(name)' needs 'sha256', 64 hexadecimal digits; 'atoll serve --make-key' prints "
            + "them"
        )
      }
      guard !keys.contains(where: { $0.name == name }) else {
        throw element.error("key '\(name)' is there twice")
      }
      keys.append(key)
    }
    return keys
  }

  // MARK: Files

  static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// No key is longer, in bytes.
  private static let keyFileByteLimit = 64 << 10

  private static func text(
    ofFile node: ConfigurationNode, folder: String
  ) throws(ConfigurationError) -> String {
    let name = try node.text("login.jwt.keyFile").value
    let path = name.hasPrefix("/") ? name : folder + name
    let bytes: [UInt8]?
    do throws(ServerError) {
      bytes = try FolderCalls.read(path, byteLimit: keyFileByteLimit)
    } catch { throw node.error("\(error)") }
    guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
      throw node.error("there is no text file '\(path)'")
    }
    return text
  }
}

extension ServerConfiguration.Login {
  /// Whether a log-in may go on that rests on `origin`.
  package func allows(_ origin: SessionOrigin) -> Bool {
    switch origin {
    case .anonymous: isAnonymousAllowed
    case .password: isPasswordAllowed
    case .key(let name, let digest):
      keys.contains { $0.name == name && (digest == nil || $0.digest == digest) }
    case .token(let fingerprint):
      issuer.map { fingerprint == nil || $0.fingerprint == fingerprint } ?? false
    }
  }
}
#endif
