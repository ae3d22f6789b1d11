/// What no case may do, whatever it is given.
struct CaseViolation: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
