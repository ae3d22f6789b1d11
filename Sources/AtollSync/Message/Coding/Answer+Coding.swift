package import AtollCapture
package import AtollObjects

private enum VerdictTag: UInt8 {
  case applied = 0
  case known = 1
  case newerClock = 2
  case deletion = 3
  case refused = 4
}

extension RecordedWriter {
  package mutating func append(_ answer: Answer) {
    append(varint: answer.number)
    append(answer.runs) { writer, run in
      writer.append(varint: UInt64(run.count))
      writer.append(run.verdict)
    }
  }

  private mutating func append(_ verdict: Verdict) {
    switch verdict {
    case .applied(let generation):
      append(byte: VerdictTag.applied.rawValue)
      append(generation)
    case .known(let generation):
      append(byte: VerdictTag.known.rawValue)
      append(generation)
    case .outdated(.newerClock): append(byte: VerdictTag.newerClock.rawValue)
    case .outdated(.deletion): append(byte: VerdictTag.deletion.rawValue)
    case .refused(let refusal):
      append(byte: VerdictTag.refused.rawValue)
      append(varint: refusal.reason.rawValue)
      append(string: refusal.text)
      append(refusal.members)
    }
  }
}

extension RecordedReader {
  package mutating func readAnswer() throws(ValueCodingError) -> Answer {
    let number = try readVarint()
    let runs = try readArray { reader throws(ValueCodingError) in
      let start = reader.byteOffset
      let count = try reader.readUInt32()
      guard count > 0 else { throw .invalidContents(byteOffset: start) }
      return Answer.Run(verdict: try reader.readVerdict(), count: count)
    }
    return Answer(number: number, runs: runs)
  }

  private mutating func readVerdict() throws(ValueCodingError) -> Verdict {
    let byte = try readByte()
    switch VerdictTag(rawValue: byte) {
    case .applied: return .applied(generation: try readOptionalCursor())
    case .known: return .known(generation: try readOptionalCursor())
    case .newerClock: return .outdated(.newerClock)
    case .deletion: return .outdated(.deletion)
    case .refused:
      let reason = Refusal.Reason(rawValue: try readVarint())
      let text = try readString()
      return .refused(Refusal(reason, text: text, members: try readRefusedMembers()))
    case nil: throw .unknownTag(byte, byteOffset: byteOffset - 1)
    }
  }
}

extension RecordedWriter {
  mutating func append(_ members: [RefusedMember]) {
    append(members) { writer, member in
      writer.append(varint: UInt64(member.index))
      writer.append(string: member.text)
    }
  }
}

extension RecordedReader {
  mutating func readRefusedMembers() throws(ValueCodingError) -> [RefusedMember] {
    try readArray { reader throws(ValueCodingError) in
      let index = try reader.readUInt32()
      return RefusedMember(index: index, text: try reader.readString())
    }
  }
}
