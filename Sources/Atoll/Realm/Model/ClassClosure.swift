/// Classes with all that their links lead to.
enum ClassClosure {
  static func of(_ descriptors: [ClassDescriptor]) -> [ClassDescriptor] {
    var found: [ClassDescriptor] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting = Array(descriptors.reversed())
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next.type)).inserted else { continue }
      found.append(next)
      waiting += next.targets.map { ClassDescriptor.of($0) }.reversed()
    }
    return found
  }
}
