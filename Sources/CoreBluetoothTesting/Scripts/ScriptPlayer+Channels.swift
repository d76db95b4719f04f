// The L2CAP channels of a scripted device.

import BluetoothHost
import CoreBluetooth
import NIOCore

extension ScriptPlayer {
    /// Listens for the channels of the script.
    func listen() {
        for channel in self.device.script.channels {
            do {
                _ = try self.host.listenForChannels(
                    spsm: SPSM(rawValue: channel.psm),
                    security: SecurityRequirement(level: channel.security.level)
                )
            } catch {
                self.device.reportMistake("no channel can have the PSM \(channel.psm): \(error)")
            }
        }
    }

    private func script(of channel: ScriptedChannel) -> ScriptedPeripheral.Channel? {
        self.device.script.channels.first { $0.psm == channel.psm }
    }

    func host(_ host: LEHost, didOpenChannel information: L2CAPChannelInformation) {
        let channel = ScriptedChannel(information.id, psm: information.spsm.rawValue, player: self)
        self.channels[information.id] = channel
        self.device.channels.append(channel)
        self.script(of: channel)?.onOpen?(channel)
    }

    func host(_ host: LEHost, channel id: L2CAPChannelID, didReceive octets: ByteBuffer) {
        host.consume(octets.readableBytes, of: id)
        guard let channel = self.channels[id] else { return }
        let data = Data(octets.readableBytesView)
        channel.received += data
        if let onData = self.script(of: channel)?.onData { onData(data, channel) } else { channel.send(data) }
    }

    func host(_ host: LEHost, channelIsReadyToSend id: L2CAPChannelID) { self.channels[id]?.flush() }

    func host(_ host: LEHost, channel id: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.channels.removeValue(forKey: id)?.isOpen = false
    }
}
