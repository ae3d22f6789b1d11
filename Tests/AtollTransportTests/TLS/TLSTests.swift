#if Sync
import AtollTransport
import TestSupport
import TestThreads
import Testing

/// Encrypted connections, and what is said about those that cannot be.
@Suite(.waiting, .hangLimit) struct TLSTests {
  private let folder = TestSupport.TemporaryFolder()

  private func certificate(
    _ certificate: String = TestCertificates.server, _ key: String = TestCertificates.serverKey
  ) throws -> ServerCertificate {
    let files = try TestCertificates.write(certificate, key, in: folder)
    return try ServerCertificate(certificate: files.certificate, key: files.key)
  }

  private func listener(_ certificate: ServerCertificate?) async throws -> TestListener {
    var options = TestListener.patient
    options.certificate = certificate
    return try await TestListener(options: options)
  }

  /// Trusts the authority of the tests alone.
  private func trust() throws -> ServerTrust {
    .authorities(
      path: try TestCertificates.write(
        TestCertificates.authority, to: "authority.pem", in: folder))
  }

  /// The errors of a request and of a connection.
  private func failures(
    _ server: TestListener, at address: ServerAddress? = nil, _ trust: ServerTrust
  ) async -> [TransportError?] {
    let address = address ?? server.address
    return [
      await transportError { () throws(TransportError) in
        _ = try await HTTPClient(address, trust: trust).send("GET", "/health")
      },
      await transportError { () throws(TransportError) in
        try await server.connector(to: address, trust: trust).connect(FrameInbox())
      },
    ]
  }

  /// Makes sure that both ends of a connection are open.
  private static func echo(_ inbox: FrameInbox) async throws {
    try await inbox.send([1])
    #expect(await inbox.next() == [1])
  }

  // MARK: What works

  @Test(arguments: ["127.0.0.1", "localhost"])
  func requestsAndFramesAreAnswered(host: String) async throws {
    let server = try await listener(try certificate())
    #expect(server.address.description.hasPrefix("https://"))
    let address = ServerAddress(host: host, port: server.address.port, isSecure: true)
    let reply = try await HTTPClient(address, trust: try trust()).send(
      "POST", "/echo", json: Array("hello".utf8))
    #expect(reply.body == Array("hello".utf8))
    let inbox = FrameInbox()
    try await server.connector(to: address, trust: try trust()).connect(inbox)
    for length in [0, 1, 100_000, 300_000] {
      let frame = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await inbox.send(frame)
      #expect(await inbox.next() == frame)
    }
    inbox.connection?.close(.normal)
    #expect(await inbox.ended() == .normal)
    await server.listener.stop()
  }

  @Test func newConnectionsUseTheCertificateThatWasLoadedLast() async throws {
    let certificate = try certificate()
    let server = try await listener(certificate)
    let trust = try trust()
    let old = FrameInbox()
    try await server.connector(to: server.address, trust: trust).connect(old)
    try TestCertificates.write(
      TestCertificates.otherName, TestCertificates.otherNameKey, in: folder)
    try certificate.reload()
    let other = TransportError.tls(.otherName, server.address)
    #expect(await failures(server, trust) == [other, other])
    // What is no certificate changes nothing.
    _ = try TestCertificates.write("nothing", to: "server.pem", in: folder)
    #expect(throws: CertificateError.noCertificate(path: folder.path(of: "server.pem"))) {
      try certificate.reload()
    }
    #expect(await failures(server, trust) == [other, other])
    try TestCertificates.write(TestCertificates.renewed, TestCertificates.renewedKey, in: folder)
    try certificate.reload()
    #expect(await failures(server, trust) == [nil, nil])
    try await Self.echo(old)
    await server.listener.stop()
  }

  @Test func theEndsOfConnectionsAreHeard() async throws {
    let server = try await listener(try certificate())
    let inbox = FrameInbox()
    try await server.connector(to: server.address, trust: try trust()).connect(inbox)
    try await Self.echo(inbox)
    server.hub.end(sessions: ["session"])
    #expect(await inbox.ended() == .tokenExpired)
    #expect(await eventually { server.count(.openConnections) == 0 })
    await server.listener.stop()
    let other = try await listener(try certificate())
    let next = FrameInbox()
    try await other.connector(to: other.address, trust: try trust()).connect(next)
    try await Self.echo(next)
    await other.listener.stop()
    #expect(await next.ended() == .goingAway)
  }

  // MARK: What fails

  @Test(arguments: [
    (TLSFailure.expired(seconds: 1_580_515_200), "has expired at 2020-02-01"),
    (.otherName, "is not for the name '127.0.0.1'"), (.unknownAuthority, "unknown authority"),
  ])
  func aCertificateThatIsNotGoodIsRefusedWithTheReason(
    failure: TLSFailure, words: String
  ) async throws {
    let certificate =
      switch failure {
      case .expired: try certificate(TestCertificates.expired, TestCertificates.expiredKey)
      case .otherName: try certificate(TestCertificates.otherName, TestCertificates.otherNameKey)
      default: try certificate(TestCertificates.unknown, TestCertificates.unknownKey)
      }
    let server = try await listener(certificate)
    let error = TransportError.tls(failure, server.address)
    #expect(await failures(server, try trust()) == [error, error])
    #expect(error.description.contains(words))
    #expect(error.isTransient)
    #expect(server.record.users == [])
    await server.listener.stop()
  }

  /// The authority of the tests is none of the system's.
  @Test func withoutAFileTheAuthoritiesAreThoseOfTheSystem() async throws {
    let server = try await listener(try certificate())
    for error in await failures(server, .system) {
      let isExpected =
        error == .tls(.unknownAuthority, server.address)
        || error == .tls(.noSystemAuthorities, server.address)
      #expect(isExpected, "\(String(describing: error))")
    }
    await server.listener.stop()
  }

  @Test func authoritiesThatCannotBeReadAreNamed() async throws {
    let server = try await listener(try certificate())
    let path = folder.path(of: "nowhere.pem")
    let missing = TransportError.tls(.authorities(.missing(path: path)), server.address)
    #expect(await failures(server, .authorities(path: path)) == [missing, missing])
    #expect(missing.description.contains("there is no file '\(path)'"))
    await server.listener.stop()
  }

  @Test func aClientWithoutTLSIsToldWhatToWrite() async throws {
    let server = try await listener(try certificate())
    let plain = ServerAddress(host: "127.0.0.1", port: server.address.port)
    let reply = try await HTTPClient(plain).send("POST", "/echo", json: Array("hello".utf8))
    #expect(reply.status == 400)
    let error = await failures(server, at: plain, .system)[1]
    guard case .refused(let refusal)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.code == "tls-required")
    #expect(refusal.message.contains("https://"))
    #expect(error?.isTransient == false)
    await server.listener.stop()
  }

  @Test func aServerWithoutTLSIsNamed() async throws {
    let server = try await listener(nil)
    let secure = ServerAddress(host: "127.0.0.1", port: server.address.port, isSecure: true)
    let error = TransportError.tls(.noTLS, secure)
    #expect(await failures(server, at: secure, try trust()) == [error, error])
    #expect(error.description.contains("does not encrypt"))
    await server.listener.stop()
  }

  /// TLS 1.1 and what was before it are broken (RFC 8996).
  @Test func versionsBefore12AreRefused() async throws {
    let server = try await listener(try certificate())
    let peer = try #require(RawSocket(port: server.address.port))
    // A hello of TLS 1.1: version, 32 random bytes, no session, one cipher suite, no compression.
    let hello: [UInt8] =
      [3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x09, 1, 0]
    let handshake: [UInt8] = [1, 0, 0, UInt8(hello.count)] + hello
    await peer.send([22, 3, 1, 0, UInt8(handshake.count)] + handshake)
    let answer = try #require(await peer.receiveAll())
    // A fatal alert: `protocol_version`.
    #expect(answer.first == 21 && answer.suffix(2) == [2, 70])
    await server.listener.stop()
  }

  // MARK: Files

  @Test func filesThatCannotBeUsedAreNamed() throws {
    let good = try TestCertificates.write(
      TestCertificates.server, TestCertificates.serverKey, in: folder)
    let text = try TestCertificates.write("no certificate", to: "text.pem", in: folder)
    let other = try TestCertificates.write(
      TestCertificates.unknownKey, to: "other.key", in: folder)
    let encrypted = try TestCertificates.write(
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n",
      to: "encrypted.key", in: folder)
    let missing = folder.path(of: "missing.pem")
    let cases: [(certificate: String, key: String, error: CertificateError)] = [
      (missing, good.key, .missing(path: missing)),
      (good.certificate, missing, .missing(path: missing)),
      (folder.path, good.key, .unreadable(path: folder.path)),
      (text, good.key, .noCertificate(path: text)),
      (good.key, good.key, .noCertificate(path: good.key)),
      (good.certificate, text, .noKey(path: text)),
      (good.certificate, encrypted, .encryptedKey(path: encrypted)),
      (good.certificate, other, .otherKey(certificate: good.certificate, key: other)),
    ]
    for (certificate, key, error) in cases {
      #expect(throws: error) { try ServerCertificate(certificate: certificate, key: key) }
    }
  }
}
#endif
