// The text and the code of the error for each error number of the system, at each place where one is met.

import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("Transport errors")
struct TransportErrorTests {
    private static let addresses: [StreamAddress] = [
        .unix(path: "/run/air"), .tcp(host: "a.example", port: 9101), .tcp(host: "::1", port: 1),
    ]

    private func note(_ name: String, _ error: TransportError) {
        let codes: [TransportError.Code] = [
            .badName, .notFound, .refused, .noPermission, .inUse, .timedOut, .unsupported, .closed, .failed,
        ]
        // The text of the system is not ours, and another one elsewhere.
        let system = error.errorNumber.map(systemErrorText) ?? "-"
        let message = error.message.replacingOccurrences(of: system, with: "…")
        RunRecord.note("\(name): \(codes.firstIndex(of: error.code) ?? -1) \(message) \(error.errorNumber ?? -1)")
        #expect(!error.message.contains("\n") && !error.message.isEmpty)
    }

    @Test("every error number, connecting, listening, opening and else")
    func numbers() {
        for number in CInt(0)...134 {
            let error = IOError(errnoCode: number, reason: "test")
            self.note("else", TransportError(errno: number, "cannot test"))
            for address in Self.addresses {
                self.note("connecting", TransportError(connectingTo: address, error))
                self.note("listening", TransportError(listeningAt: address, error))
                self.note("listening", TransportError(listeningAt: address, errno: number))
            }
            self.note("port", TransportError(openingSerialPort: "/nowhere/tty", errno: number))
            self.note("speed", TransportError(settingSpeed: 9_600, of: "/nowhere/tty", errno: number))
            #if os(Linux)
            for step in [UserChannel.Step.socket, .takeDown, .bind] {
                for isManaged in [nil, true, false] {
                    for unseenCount in [0, 1] {
                        for programs in [[], [ProcessInformation(number: 7, name: "x")]] {
                            var holders = AdapterHolders()
                            holders.unseenCount = unseenCount
                            holders.programs = programs
                            holders.daemon = unseenCount == 1 ? ProcessInformation(number: 8, name: "bluetoothd") : nil
                            let error = TransportError(
                                openingAdapter: 3,
                                step,
                                errno: number,
                                program: unseenCount == 0 ? nil : "/opt/a b",
                                holders: holders,
                                isManaged: isManaged
                            )
                            self.note("adapter \(step)", error)
                        }
                    }
                }
            }
            #endif
        }
    }

    @Test("every other error of SwiftNIO")
    func others() {
        struct Other: Error, CustomStringConvertible { var description: String { "one\ntwo\n\nthree" } }
        let errors: [any Error] = [
            ChannelError.connectTimeout(.seconds(1)),
            SocketAddressError.unixDomainSocketPathTooLong, Other(), TransportError(.inUse, "in use"),
        ]
        for error in errors {
            for address in Self.addresses {
                self.note("connecting", TransportError(connectingTo: address, error))
                self.note("listening", TransportError(listeningAt: address, error))
            }
            RunRecord.note(oneLine(error))
        }
    }

    @Test("a name that no host has, connecting and listening")
    func unknownHost() {
        // No name has an empty part, so nobody is asked.
        let address = StreamAddress.tcp(host: "a..example", port: 9101)
        #expect {
            try SocketAddress.makeAddressResolvingHost("a..example", port: 9101)
        } throws: { error in
            let text = "no host has the name a..example: correct it, or give its address in numbers"
            return [TransportError(connectingTo: address, error), TransportError(listeningAt: address, error)]
                .allSatisfy { $0.code == .notFound && $0.message == text }
        }
    }

    @Test("what is wrong with a serial port, by what its group is")
    func serialPorts() {
        for path in ["/dev/ttyACM0", "tty", ""] {
            self.note("group", .noPermission(path, SerialPortAccess(group: "dialout")))
            self.note("none", .noPermission(path, SerialPortAccess(group: nil)))
            self.note("attached", .attached(path))
            self.note("none", .noSerialPort(path))
            self.note("speed", .wrongSpeed(9_600, of: path, real: 9_500))
        }
        RunRecord.note("\(SerialPortAccess("/nowhere"))")
        for speed in [1, 32, 33, 34, 66, 9_600, 115_200, 1_000_000, 20_000_000] {
            let tolerance = speed / 33
            let near = [-tolerance - 1, -tolerance, 0, tolerance, tolerance + 1]
            #expect(near.map { SerialPort.isSpeed(speed + $0, closeTo: speed) } == [false, true, true, true, false])
            RunRecord.note("\(speed) \((0...70).map { SerialPort.isSpeed(speed + $0, closeTo: speed) })")
        }
    }
}
