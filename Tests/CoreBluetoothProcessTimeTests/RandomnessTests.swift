// The sources of randomness of a process, in a world: the same seed gives the same octets, another seed others.

import CoreBluetoothProcessTime
import Crypto
import Foundation
import Testing

@Suite("Randomness in process time")
struct RandomnessTests {
    /// Octets that a source gives in a world with a seed.
    static func octets(seed: UInt64, _ source: () throws -> [UInt8]) throws -> [UInt8] {
        let process = try HeldProcess(seed: seed)
        defer { process.end() }
        return try source()
    }

    /// The same in two worlds of one seed, others in one of another, and others again when clocks are real.
    static func expectSeeded(_ name: String, _ source: () throws -> [UInt8]) throws {
        let first = try self.octets(seed: 1, source)
        #expect(first.contains { $0 != first[0] }, "\(name) gives one octet again and again")
        #expect(try self.octets(seed: 1, source) == first, "\(name) does not follow the seed")
        #expect(try self.octets(seed: 2, source) != first, "\(name) is the same for another seed")
        let real = try source()
        #expect(try source() != real && real != first, "\(name) stays seeded after the world")
    }

    private static func filled(_ fill: (UnsafeMutableRawPointer, Int) -> Bool) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 16)
        let hasFilled = octets.withUnsafeMutableBytes { buffer in buffer.baseAddress.map { fill($0, buffer.count) } }
        #expect(hasFilled == true)
        return octets
    }

    @Test("seeds the functions of the C library")
    func functionsOfTheCLibrary() async {
        await #expect(processExitsWith: .success) {
            let getrandom = try CLibrary.function("getrandom", as: CLibrary.GetRandom.self)
            try RandomnessTests.expectSeeded("getrandom") { RandomnessTests.filled { getrandom($0, $1, 0) == $1 } }
            try RandomnessTests.expectSeeded("getentropy") { RandomnessTests.filled { getentropy($0, $1) == 0 } }
            let fill = try CLibrary.function("arc4random_buf", as: CLibrary.Fill.self)
            let word = try CLibrary.function("arc4random", as: CLibrary.Word.self)
            let bounded = try CLibrary.function("arc4random_uniform", as: CLibrary.BoundedWord.self)
            try RandomnessTests.expectSeeded("arc4random_buf") {
                RandomnessTests.filled {
                    fill($0, $1)
                    return true
                }
            }
            try RandomnessTests.expectSeeded("arc4random") { (0..<16).map { _ in UInt8(truncatingIfNeeded: word()) } }
            try RandomnessTests.expectSeeded("arc4random_uniform") { (0..<16).map { _ in UInt8(bounded(100)) } }
        }
    }

    @Test("seeds the random devices, opened before or in the world", arguments: ["/dev/urandom", "/dev/random"])
    func devices(_ path: String) async {
        await #expect(processExitsWith: .success) { [path] in
            let early = open(path, O_RDONLY | O_CLOEXEC)
            #expect(early >= 0)
            try RandomnessTests.expectSeeded("read of \(path), opened before,") {
                RandomnessTests.filled { read(early, $0, $1) == $1 }
            }
            try RandomnessTests.expectSeeded("read of \(path)") {
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                defer { close(descriptor) }
                return RandomnessTests.filled { read(descriptor, $0, $1) == $1 }
            }
            try RandomnessTests.expectSeeded("fread of \(path)") {
                let stream = try #require(fopen(path, "r"))
                defer { fclose(stream) }
                return RandomnessTests.filled { fread($0, 1, $1, stream) == $1 }
            }
            try RandomnessTests.expectSeeded("FileHandle of \(path)") {
                let file = try #require(FileHandle(forReadingAtPath: path))
                return [UInt8](try #require(try file.read(upToCount: 16)))
            }
        }
    }

    @Test("seeds Swift, Foundation and Crypto")
    func swiftFoundationAndCrypto() async {
        await #expect(processExitsWith: .success) {
            try RandomnessTests.expectSeeded("SystemRandomNumberGenerator") {
                (0..<16).map { _ in .random(in: 0...255) }
            }
            try RandomnessTests.expectSeeded("UUID") { withUnsafeBytes(of: UUID().uuid) { [UInt8]($0) } }
            try RandomnessTests.expectSeeded("random") { (0..<16).map { _ in UInt8(truncatingIfNeeded: random()) } }
            try RandomnessTests.expectSeeded("P256") { [UInt8](P256.Signing.PrivateKey().rawRepresentation) }
            try RandomnessTests.expectSeeded("SymmetricKey") {
                SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) }
            }
        }
    }
}
