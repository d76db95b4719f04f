// The page's program runs against a controller on a socket, and it is the one in the page.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOPosix
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Documentation of the transport", .timeLimit(.minutes(2)))
struct DocumentationTests {
    @Test("The version of a controller behind a socket")
    func controllerBehindASocket() async throws {
        let folder = try TemporaryFolder()
        let served = try await H4ServerTests.Served(.unix(path: folder("h4"))) { packet in
            guard packet.octets[1] == 0x01 else {
                return [CommandComplete.packet(Reset.self, StatusReturnParameters())]
            }
            let answer = ReadLocalVersionInformation.ReturnParameters(hciVersion: .v5_4)
            return [CommandComplete.packet(ReadLocalVersionInformation.self, answer)]
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let version = try await VersionReader.version(of: .unix(path: folder("h4")), on: loop).get()
        #expect(version == .v5_4)
        try await served.end()
        let error = await #expect(throws: TransportError.self) {
            try await VersionReader.version(of: .unix(path: folder("h4")), on: loop).get()
        }
        #expect(error?.code == .notFound)
        #expect(error?.errorNumber == ENOENT)
    }

    @Test("The page has the code that runs")
    func page() throws {
        let folder = "Sources/BluetoothTransport/BluetoothTransport.docc"
        let page = try Documentation.text("\(folder)/ControllerBehindASocket.md")
        let program = try Documentation.program("Tests/BluetoothTransportTests/Documentation/VersionReader.swift")
        #expect(Documentation.code(of: page) == program)
    }
}
