#if Sync
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A TCP socket of this machine; used by one thread at a time, closed with its last reference.
final class RelaySocket: Sendable {
  /// Why there is no socket: the number of the system's error.
  struct Failure: Error {
    let code: Int32
  }

  private let descriptor: Int32
  private static let readByteCount = 16_384
  /// How long a write waits for a peer that does not read, in seconds.
  private static let writePatience = 5

  private init(descriptor: Int32) {
    self.descriptor = descriptor
    var limit = timeval(tv_sec: Self.writePatience, tv_usec: 0)
    // SAFETY: the system copies a value of the size that is named.
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var isOn: Int32 = 1
    // SAFETY: as above.
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  private static func new() throws(Failure) -> RelaySocket {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw Failure(code: errno) }
    return RelaySocket(descriptor: descriptor)
  }

  /// A socket that listens at any free port of the loopback interface.
  static func listening() throws(Failure) -> RelaySocket {
    let new = try new()
    // SAFETY: the pointers are used in the calls alone.
    guard unsafe Self.withAddress(port: 0, { unsafe bind(new.descriptor, $0, $1) }) == 0,
      listen(new.descriptor, 128) == 0
    else { throw Failure(code: errno) }
    return new
  }

  /// A socket that is connected; nil when no process listens there.
  static func connected(to port: Int) -> RelaySocket? {
    // SAFETY: the pointer is used in the call alone.
    guard let new = try? new(),
      unsafe Self.withAddress(port: port, { unsafe connect(new.descriptor, $0, $1) }) == 0
    else { return nil }
    return new
  }

  /// The port of a listening socket.
  var port: Int {
    var address = sockaddr_in()
    var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
    // SAFETY: the system writes at most the size that is named, and nothing keeps the pointer.
    let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &byteCount)
      }
    }
    return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : 0
  }

  func accept(withinMilliseconds milliseconds: Int32) -> RelaySocket? {
    guard isReadable(withinMilliseconds: milliseconds) else { return nil }
    let accepted = acceptConnection(descriptor)
    return accepted >= 0 ? RelaySocket(descriptor: accepted) : nil
  }

  func isReadable(withinMilliseconds milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // SAFETY: one entry is named, and there is one.
    return unsafe poll(&entry, 1, milliseconds) > 0
  }

  /// The bytes that are there; empty at the end, nil after an error.
  func read() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Self.readByteCount)
    // SAFETY: the system writes at most as many bytes as the array has.
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : Array(bytes[..<count])
  }

  /// Whether the other end took all of it.
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // SAFETY: the buffer lives as long as the call.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe send(descriptor, buffer.baseAddress, buffer.count, Self.sendFlags)
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// A peer that is gone is no signal.
  private static var sendFlags: Int32 {
    #if canImport(Glibc)
    Int32(MSG_NOSIGNAL)
    #else
    0
    #endif
  }

  private static func withAddress(
    port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // SAFETY: an address of this family lies where one of any family is expected, for the call
    // alone.
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// `accept` of the system, whose name is that of a method above.
private func acceptConnection(_ descriptor: Int32) -> Int32 {
  // Null pointers ask for no address.
  accept(descriptor, nil, nil)
}
#endif
