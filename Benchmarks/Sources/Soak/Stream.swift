// The streams of the soak, and the octets on them.

import Foundation

/// A stream between the two programs.
enum Stream: String, CaseIterable {
    /// Writes without response, from the central to the peripheral.
    case write
    /// Notifications, from the peripheral to the central.
    case notify
    /// An L2CAP channel, from the central to the peripheral.
    case up
    /// The same L2CAP channel, from the peripheral to the central.
    case down

    var isSentByCentral: Bool { self == .write || self == .up }

    /// Whether the stream consists of values, each of which is one block.
    var isOfValues: Bool { self == .write || self == .notify }

    /// The octets of a block: those of a value, or the most that are written to a channel at a time.
    var blockSize: Int { self.isOfValues ? 244 : 16 * 1024 }

    /// The seed of this stream's octets: another stream, or another case, has other octets.
    func seed(of transfer: UInt64) -> UInt64 {
        transfer &* 4 &+ UInt64(Stream.allCases.firstIndex(of: self) ?? 0)
    }
}

/// The octets of a stream: blocks that a seed and their number decide. A block that is lost, duplicated, swapped or
/// changed differs from the one that is expected in its place.
struct Pattern {
    private let seed: UInt64
    private let blockSize: Int
    private var words: [UInt64]
    /// The number of the block that ``words`` holds.
    private var present: Int?

    init(seed: UInt64, blockSize: Int) {
        self.seed = seed
        self.blockSize = blockSize
        self.words = Array(repeating: 0, count: (blockSize + 7) / 8)
    }

    /// Calls `body` with the octets of a block.
    mutating func withBlock<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if number != self.present {
            self.present = number
            self.makeBlock(number)
        }
        let size = self.blockSize
        return self.words.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<size])) }
    }

    private mutating func makeBlock(_ number: Int) {
        // SplitMix64: the state of one block's first word follows from the seed and the number.
        var state = Self.mix(self.seed &* 0xD134_2543_DE82_EF95 &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
        for index in self.words.indices {
            state &+= 0x9E37_79B9_7F4A_7C15
            self.words[index] = Self.mix(state)
        }
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// One transfer on a stream, as its sender sees it.
final class Sending {
    private var pattern: Pattern
    private let stream: Stream
    private var blocks: Int
    private var next = 0
    /// The rest of a block that was written in part.
    private var rest = Data()

    /// So many blocks.
    init(_ stream: Stream, transfer: UInt64, blocks: Int) {
        self.stream = stream
        self.blocks = blocks
        self.pattern = Pattern(seed: stream.seed(of: transfer), blockSize: stream.blockSize)
    }

    /// Sends until `send`, which returns the number of octets that it accepts, returns 0. Returns whether all was sent.
    func pump(_ send: (Data) -> Int) -> Bool {
        while true {
            if self.rest.isEmpty {
                guard self.next < self.blocks else { return true }
                self.rest = self.pattern.withBlock(self.next) { Data($0) }
                self.next += 1
            }
            let count = send(self.rest)
            guard count > 0 else { return false }
            self.rest = count == self.rest.count ? Data() : Data(self.rest.dropFirst(count))
        }
    }
}

/// One transfer on a stream, as its receiver sees it: it compares every octet.
final class Receiving {
    private var pattern: Pattern
    private let stream: Stream
    private let blocks: Int
    private var block = 0
    /// The number of received octets of the present block.
    private var offset = 0
    /// The numbers of blocks after which the parent is asked, in order.
    private var marks: [Int]
    private let onMark: () -> Void
    /// The number of blocks between two lines: 64 MiB.
    private var progressInterval: Int { 64 * 1_048_576 / self.stream.blockSize }

    /// So many blocks; `onMark` is called when the number of a mark has come.
    init(_ stream: Stream, transfer: UInt64, blocks: Int, marks: [Int], onMark: @escaping () -> Void) {
        self.stream = stream
        self.blocks = blocks
        self.marks = marks.sorted()
        self.onMark = onMark
        self.pattern = Pattern(seed: stream.seed(of: transfer), blockSize: stream.blockSize)
    }

    /// Compares octets; returns whether everything has come.
    func take(_ octets: UnsafeRawBufferPointer) -> Bool {
        if self.stream.isOfValues, octets.count != self.stream.blockSize {
            Role.fail("a value of \(octets.count) octets on \(self.stream)")
        }
        var octets = octets[...]
        while !octets.isEmpty {
            guard self.block < self.blocks else { Role.fail("\(octets.count) octets too many on \(self.stream)") }
            let count = min(octets.count, self.stream.blockSize - self.offset)
            let (number, offset) = (self.block, self.offset)
            let isSame = self.pattern.withBlock(number) { expected in
                memcmp(octets.base.baseAddress! + octets.startIndex, expected.baseAddress! + offset, count) == 0
            }
            guard isSame else {
                let position = self.block * self.stream.blockSize + self.offset
                Role.fail("other octets than were sent on \(self.stream), behind the first \(position)")
            }
            octets = octets.dropFirst(count)
            self.offset += count
            if self.offset == self.stream.blockSize {
                self.offset = 0
                self.block += 1
                if self.block % self.progressInterval == 0 { Role.say("progress") }
                while let mark = self.marks.first, mark <= self.block {
                    self.marks.removeFirst()
                    self.onMark()
                }
            }
        }
        return self.block == self.blocks
    }
}
