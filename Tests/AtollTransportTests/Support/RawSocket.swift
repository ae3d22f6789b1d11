#if Sync
import Dispatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A TCP connection without any protocol, for bytes that no library would send.
///
/// Reading and writing wait half an hour at most, on threads that may sleep, each on its own:
/// a read that waits for an answer must not hold up the request.
final class RawSocket: Sendable {
  private let descriptor: Int32
  // Of its own: the threads of the global queues are few.
  private let readQueue = DispatchQueue(label: "atoll.test.socket.read")
  private let writeQueue = DispatchQueue(label: "atoll.test.socket.write")

  init?(port: Int, receiveBufferByteCount: Int? = nil) {
    #if canImport(Glibc)
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { return nil }
    var limit = timeval(tv_sec: 1_800, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if let receiveBufferByteCount {
      var count = Int32(receiveBufferByteCount)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &count, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // The end of the object closes the socket.
    guard result == 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Ends both directions, and what waits for them.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sends as much as the other end takes; returns how many bytes that was.
  @discardableResult
  func send(_ bytes: [UInt8]) async -> Int {
    await blocking(on: writeQueue) { [descriptor] in
      var done = 0
      while done < bytes.count {
        let count = bytes[done...].withUnsafeBytes {
          Self.write(descriptor, $0.baseAddress, $0.count)
        }
        if count <= 0 { return done }
        done += count
      }
      return done
    }
  }

  func send(_ text: String) async { await send(Array(text.utf8)) }

  /// The bytes that have come; empty at the end, nil after half an hour without any.
  func receive(_ limit: Int = 65_536) async -> [UInt8]? {
    await blocking(on: readQueue) { [descriptor] in
      var bytes = [UInt8](repeating: 0, count: limit)
      let count = recv(descriptor, &bytes, limit, 0)
      if count < 0, errno == EAGAIN { return nil }
      return Array(bytes[..<max(0, count)])
    }
  }

  /// All that comes until the other end closes; nil when it does not.
  func receiveAll() async -> [UInt8]? {
    var all: [UInt8] = []
    while true {
      guard let bytes = await receive() else { return nil }
      if bytes.isEmpty { return all }
      all += bytes
    }
  }

  /// Asks for a WebSocket and reads the answer's head.
  func upgrade(
    line: String = "GET /sync HTTP/1.1", token: String = "good", headers: String = ""
  ) async -> String {
    await send(
      """
      \(line)\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\
      Sec-WebSocket-Protocol: atoll-sync-1\r\nAuthorization: Bearer \(token)\r\n\(headers)\r\n
      """)
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = await receive(1), !byte.isEmpty else { break }
      head += byte
    }
    return String(decoding: head, as: UTF8.self)
  }

  private func blocking<Result: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  private static func write(
    _ descriptor: Int32, _ address: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
    Glibc.send(descriptor, address, count, Int32(MSG_NOSIGNAL))
    #else
    Darwin.send(descriptor, address, count, 0)
    #endif
  }
}
#endif
