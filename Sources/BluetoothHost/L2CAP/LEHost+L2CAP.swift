// The host's LE credit-based channels for the user: octet streams with back-pressure in both directions (Vol 3, Part A,
// 3.4 and 10.1). CreditBasedChannel decides; the host carries it out.
//
// `write` accepts as many octets as the channel has capacity for; the channel reports when there is capacity again.
// Received octets count against the window until they are given back with `consume`. A channel has one frame at a time
// in the link's queue, so that ATT and other channels can interleave.

import BluetoothHCI
public import NIOCore

extension LEHost {
    /// Lets peers open channels on an SPSM, on all links, until it is stopped. The delegate decides on each valid
    /// request.
    /// - Parameters:
    ///   - spsm: The service; `nil` for a free SPSM of the dynamic range, the next one after the last.
    ///   - first: The first dynamic SPSM to use.
    ///   - configuration: The limits of this side.
    ///   - security: The required security of the link.
    /// - Returns: The SPSM.
    public func listenForChannels(
        spsm: SPSM? = nil,
        from first: SPSM = SPSM.dynamicRange.lowerBound,
        configuration: L2CAPChannelConfiguration = L2CAPChannelConfiguration(),
        security: SecurityRequirement = .none
    ) throws(L2CAPListenError) -> SPSM {
        self.assertOnEventLoop()
        let listener = CreditBasedChannels.Listener(configuration: configuration, security: security)
        return try self.channels.listen(on: spsm, from: first, listener)
    }

    /// Stops listening on an SPSM; open channels stay open.
    public func stopListening(spsm: SPSM) {
        self.assertOnEventLoop()
        self.channels.stopListening(on: spsm)
    }

    /// Requests a channel from a peer. The completion comes before anything that the channel receives.
    public func openChannel(
        on link: LinkID,
        spsm: SPSM,
        configuration: L2CAPChannelConfiguration = L2CAPChannelConfiguration(),
        completion: @escaping (Result<L2CAPChannelInformation, L2CAPChannelOpenError>) -> Void
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            return self.afterwards { completion(.failure(.notConnected)) }
        }
        self.channels.open(on: link, to: spsm, configuration, completion)
    }

    /// A channel by its identifier; `nil` after its end.
    public func information(of channel: L2CAPChannelID) -> L2CAPChannelInformation? {
        self.assertOnEventLoop()
        return self.channels[channel]
    }

    /// Sends as many octets on a channel as there is capacity for. If these are not all,
    /// `host(_:channelIsReadyToSend:)` reports when there is capacity again.
    ///
    /// The octets are a stream: their division into SDUs depends on the peer, not on the calls.
    /// - Returns: The number of octets that were accepted, from the first on; 0 if the channel is closed.
    public func write(_ octets: ByteBuffer, on channel: L2CAPChannelID) -> Int {
        self.assertOnEventLoop()
        return self.channels.update(channel) { $0.write(octets, &$1) } ?? 0
    }

    /// Gives back received octets of a channel, the oldest first, so that the peer may send more; all if there are
    /// fewer.
    public func consume(_ count: Int, of channel: L2CAPChannelID) {
        self.assertOnEventLoop()
        self.channels.update(channel) { $0.consume(count, &$1) }
    }

    /// Closes a channel once all octets accepted by ``write(_:on:)``, and then `lastOctets`, have been sent. Nothing
    /// more is received; the delegate is told of the end.
    ///
    /// If the peer accepts no frame for 30 s, the rest is discarded.
    /// - Parameters:
    ///   - channel: The channel; ignored if it has ended.
    ///   - lastOctets: Octets to send before the end, without a limit.
    package func closeChannel(_ channel: L2CAPChannelID, after lastOctets: [ByteBuffer] = []) {
        self.assertOnEventLoop()
        self.channels.update(channel) { $0.close(after: lastOctets, &$1) }
    }
}
