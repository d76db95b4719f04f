// Channels of our host to a device: each continues in a socket of the kernel, which is connected before our host gets
// its answer.

import BluetoothHost
import NIOCore

extension DeviceMirror {
    /// Whatever channel our host asks for is opened in the kernel first.
    func offerChannels() {
        let configuration = ChannelBridges.configuration
        for spsm in SPSM.validRange.lowerBound.rawValue...SPSM.validRange.upperBound.rawValue {
            _ = try? self.host.listenForChannels(spsm: SPSM(rawValue: spsm), configuration: configuration)
        }
        self.host.channels.decide = { [weak self] request, decide in
            guard let self else { return decide(.noResources) }
            let loop = self.host.eventLoop
            KernelChannel.connect(from: self.adapter, to: self.address, spsm: request.spsm, on: loop) { result in
                switch result {
                case .success(let socket):
                    guard self.link == request.link else { return KernelChannel.end(socket) }
                    self.sockets.append(socket)
                    decide(.success)
                case .failure(let refusal): decide(refusal)
                }
            }
        }
    }

    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) {
        guard !self.sockets.isEmpty else { return host.closeChannel(channel.id) }
        self.bridges.join(channel.id, self.sockets.removeFirst())
    }

    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        self.bridges.received(octets, on: channel)
    }

    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.bridges.isReadyToSend(channel) }

    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.bridges.closed(channel)
    }
}
