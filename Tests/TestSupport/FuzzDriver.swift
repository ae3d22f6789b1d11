#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// libFuzzer, if it is linked into this program, which must be compiled for it as well.
package enum FuzzDriver {
  private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private typealias Run =
    @convention(c) (
      UnsafeMutablePointer<CInt>, UnsafeMutablePointer<Arguments>, Callback
    ) -> CInt

  /// The trial of each input.
  ///
  /// Only `run` sets it, before libFuzzer calls anything, and libFuzzer calls on the same thread.
  private nonisolated(unsafe) static var trial: (([UInt8]) throws -> Void)?

  // SAFETY: libFuzzer declares LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *,
  // size_t)).
  private static let entry: Run? = dlsym(dlopen(nil, RTLD_NOW), "LLVMFuzzerRunDriver").map {
    unsafeBitCast($0, to: Run.self)
  }

  package static var isLinked: Bool { entry != nil }

  /// Tries inputs until `options` say that it is enough, or until one ends the process.
  ///
  /// An error of `trial` ends the process like a trap, after a line on standard error.
  ///
  /// `options`: those of libFuzzer, and the folders where it finds and keeps inputs.
  ///
  /// - Returns: the exit status, if it does not end the process.
  package static func run(_ options: [String], _ trial: @escaping ([UInt8]) throws -> Void) -> Int32
  {
    guard let entry else { preconditionFailure("ask isLinked first") }
    Self.trial = trial
    // libFuzzer leaves alone what has a handler, and that of the Swift runtime, which prints the
    // stack, would end the process before libFuzzer has kept the input.
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] { signal(number, SIG_DFL) }
    var count = CInt(options.count + 1)
    // libFuzzer keeps the pointers, so they live as long as the process.
    let words = Arguments.allocate(capacity: options.count + 2)
    for (index, word) in (["fuzz"] + options).enumerated() { words[index] = strdup(word) }
    words[options.count + 1] = nil
    var arguments = words
    return entry(&count, &arguments) { bytes, byteCount in
      FuzzDriver.prepareForOverflow
      let input = [UInt8](UnsafeBufferPointer(start: bytes, count: byteCount))
      do { try FuzzDriver.trial?(input) } catch {
        writeToStandardError("violation: \(error)")
        abort()
      }
      return 0
    }
  }

  /// Gives the handlers of libFuzzer, which are set when the first input comes, a stack of their
  /// own.
  ///
  /// Where the stack has overflowed they could not run, and the input would be lost.
  private static let prepareForOverflow: Void = {
    let byteCount = 256 << 10
    // Kept as long as the process.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
    stack.ss_size = byteCount
    guard sigaltstack(&stack, nil) == 0 else { return }
    for number in [SIGSEGV, SIGBUS] {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0 else { continue }
      action.sa_flags |= SA_ONSTACK
      _ = sigaction(number, &action, nil)
    }
  }()
}
