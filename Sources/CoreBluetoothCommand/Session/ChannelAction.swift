// `channel` in a session: L2CAP channels of the device, whose octets are printed as they come.

import ArgumentParser
import CommandLineTool
import CoreBluetooth
import Foundation

/// Opens a channel, sends on it, or closes it.
struct ChannelAction: DeviceAction {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Open an L2CAP channel, send a value on it, or close it.",
        discussion: """
            The channel is opened unless it is open, and what comes on it is printed while other commands are given. \
            The value is hexadecimal, or of the type that --as or --text says.
            """
    )

    @Argument(help: "The PSM of the channel, such as 128 or 0x80.")
    var psm: String

    @Argument(help: "The value to send.")
    var value: String?

    @OptionGroup var form: WrittenValueOptions

    @Flag(help: "Close the channel when everything is sent.")
    var close = false

    func validate() throws {
        _ = try Arguments.psm(psm)
        if let value { try form.check(value) }
    }

    func run(on connection: DeviceConnection) async throws {
        let psm = try Arguments.psm(psm)
        if value != nil || !close {
            let channel = try await connection.openChannel(psm)
            if let value {
                await channel.send(try form.octets(of: value))
                await channel.waitUntilSent()
            }
        }
        if close { try await connection.closeChannel(psm) }
    }
}

extension DeviceConnection {
    /// The channel of a PSM, opened unless it is open.
    func openChannel(_ psm: CBL2CAPPSM) async throws -> OpenChannel {
        if let open = channels[psm] { return open }
        let channel = OpenChannel(try await central.openChannel(psm), central)
        channels[psm] = channel
        print("opened", [("psm", .integer(Int(psm)))], line: nil)
        Task { await receive(on: channel, psm) }
        return channel
    }

    private func receive(on channel: OpenChannel, _ psm: CBL2CAPPSM) async {
        while let data = await channel.next() {
            print(
                "received",
                [
                    ("psm", .integer(Int(psm))), ("hex", .string(HexadecimalText.digits(data))),
                    ("text", JSONValue(ValueText.plain(data))),
                ],
                line: "channel \(psm): \(ValueText.octets(data))"
            )
        }
        // A lost connection closes the channel first, and is reported by itself.
        guard channels[psm] === channel, await central.security() != nil else { return }
        channels[psm] = nil
        print("closed", [("psm", .integer(Int(psm)))], line: "channel \(psm): closed by the device")
    }

    /// Closes a channel, and waits until the device has received everything.
    func closeChannel(_ psm: CBL2CAPPSM) async throws {
        guard let channel = channels.removeValue(forKey: psm) else { throw Failure("the channel \(psm) is not open") }
        try await channel.close()
        print("closed", [("psm", .integer(Int(psm)))], line: nil)
    }

    /// Closes all channels.
    func closeChannels() async throws {
        for psm in channels.keys.sorted() { try await closeChannel(psm) }
    }
}
