// A process that the tests start, trace and kill, to observe the effects of processes on each other
// and their system calls. It executes its input, one line at a time:
//
//     probe lock PATH              with the lock file of a database file
//     probe store PATH             with a store that it makes
//     probe compact PATH OLD NEW   compacts a database, from the key of one number to that of another
//     probe use PATH KEY           has a database open
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

do {
  let arguments = CommandLine.arguments.dropFirst()
  switch (arguments.first, arguments.dropFirst().map { $0 }) {
  case ("lock", let rest) where rest.count == 1: try runLockFile(rest[0])
  case ("store", let rest) where rest.count == 1: try runStore(rest[0])
  case ("compact", let rest) where rest.count == 3:
    try compact(rest[0], rest[1], rest[2])
    writeToStandardOutput("done")
  case ("use", let rest) where rest.count == 2:
    try use(rest[0], rest[1])
    writeToStandardOutput("done")
  default: writeToStandardOutput("error: unknown work")
  }
} catch {
  writeToStandardOutput("error: \(error)")
  exit(1)
}
