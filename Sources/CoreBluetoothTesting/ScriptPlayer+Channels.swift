// The L2CAP channels of a scripted device, and the channel to its controller of one that is slow.

import BluetoothHCI
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

/// A channel to a controller whose data reaches the host later, as if the device took its time.
final class SlowChannel: HCIChannel {
    private let channel: WatchedChannel
    private let delay: TimeAmount
    private weak var receiver: (any HCIChannelReceiver)?

    init(_ channel: WatchedChannel, by delay: TimeAmount) {
        self.channel = channel
        self.delay = delay
    }

    var eventLoop: any EventLoop { self.channel.eventLoop }

    func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.channel.start(receiver: self)
    }

    func send(_ packet: HCIPacket) { self.channel.send(packet) }

    func close() {
        self.receiver = nil
        self.channel.close()
    }
}

extension SlowChannel: HCIChannelReceiver {
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        guard packet.kind == .aclData else {
            self.receiver?.channel(self, didReceive: packet)
            return
        }
        self.eventLoop.assumeIsolated().scheduleTask(in: self.delay) { [weak self] in
            guard let self, let receiver = self.receiver else { return }
            receiver.channel(self, didReceive: packet)
            receiver.channelDidFinishBatch(self)
        }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.receiver?.channelDidFinishBatch(self) }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.receiver?.channel(self, didCloseBecause: reason)
    }
}
