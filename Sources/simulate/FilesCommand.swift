internal import ArgumentParser

/// `simulate files`: damaged database files, opened, read, salvaged and changed.
struct FilesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "files",
    abstract: "Read, salvage and change damaged files.",
    discussion: """
      Each file is a small database with every type, link and index, half of them encrypted. Half \
      of the files are damaged as disks do it: bits, bytes, blocks, lengths. Everything that such \
      a file answers must be right, or an error. The others are changed inside of their pages, \
      where decoders look, and sealed again up to the header, so that no checksum detects it: they \
      may answer anything, or give an error.

      No file may end the process, take 20 seconds or much memory; so the files are read by \
      processes of their own. Exit status: 0 when all is well, 1 for a violation, 64 for a command \
      line that makes no sense.
      """)

  static let kind = CaseSimulation.Kind(
    name: "files",
    columns: ["sealed", "opened", "whole", "foundByCheck", "committed", "salvaged"])

  @OptionGroup var options: CaseOptions

  func run() throws {
    try options.run(Self.kind) { worker in
      var samples: [Int: SampleFile] = [:]
      worker.run { number in
        let index = Int(number % UInt64(SampleFile.count))
        let sample = try samples[index] ?? SampleFile(number: index)
        samples[index] = sample
        return try FileCase(number: number, sample: sample).run()
      }
    }
  }
}
