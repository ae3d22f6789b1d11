#if Sync
import AtollTransport
import TestThreads
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The options of the sockets at both ends.
@Suite(.waiting, .hangLimit) struct SocketOptionTests {
  /// The port of an end of a descriptor's connection; nil when it is none of IPv4.
  private func port(
    _ descriptor: Int32,
    _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var address = sockaddr_in()
    var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &byteCount) }
    }
    guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var byteCount = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &byteCount) == 0 ? value : nil
  }

  /// Frames are sent at once.
  ///
  /// TCP_NODELAY has the number of SO_DEBUG at the level of sockets, which only the superuser may
  /// set: a server of any other user would lose each connection.
  @Test func bothEndsSendAtOnceAndDebugNothing() async throws {
    let server = try await TestListener()
    let inbox = try await server.connect()
    try await inbox.send([1])
    #expect(await inbox.next() == [1])
    let ends = (Int32(3)..<4_096).filter { descriptor in
      guard let own = port(descriptor, { getsockname($0, $1, $2) }),
        let other = port(descriptor, { getpeername($0, $1, $2) })
      else { return false }
      return own == server.address.port || other == server.address.port
    }
    #expect(ends.count == 2)
    for end in ends {
      #expect(option(end, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
      #expect(option(end, SOL_SOCKET, SO_DEBUG) == 0)
    }
    await server.listener.stop()
  }
}
#endif
