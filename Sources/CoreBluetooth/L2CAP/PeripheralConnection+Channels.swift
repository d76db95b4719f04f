// The channels that an app asks for on its connection. They are opened one after the other, since an app that is told of
// a failure is not told which PSM it was.

import BluetoothHost

extension PeripheralConnection {
    /// Queues a request for a channel.
    func openChannel(_ psm: CBL2CAPPSM) {
        guard case .established = self.phase else { return }
        self.channelRequests.append(psm)
        if self.channelRequests.count == 1 { self.openNextChannel() }
    }

    private func openNextChannel() {
        let core = self.session.core
        while let psm = self.channelRequests.first, case .established = self.phase, let link = self.peer.link {
            if Channels.dynamicPSMs.contains(psm) {
                return core.host.openChannel(on: link, spsm: psm, configuration: Channels.configuration) {
                    [weak self, unowned core] result in
                    if let self, case .established = self.phase { return self.answered(psm, result) }
                    // Given up meanwhile.
                    if case .success(let channel) = result { core.host.closeChannel(channel.id) }
                }
            }
            self.channelRequests.removeFirst()
            self.tell(.channelRefused(self.name, CBError.told(.invalidParameters)))
        }
    }

    private func answered(_ psm: CBL2CAPPSM, _ result: Result<ChannelInformation, ChannelOpenError>) {
        switch result {
        case .success(let channel):
            let handle = self.session.core.channels.opened(channel, for: self)
            self.tell(.channelOpened(self.name, psm, handle))
        // What a lost link ends is not told: the disconnection is.
        case .failure(.notConnected): return self.channelRequests.removeAll()
        case .failure(let error): self.tell(.channelRefused(self.name, coreBluetoothError(error)))
        }
        if !self.channelRequests.isEmpty { self.channelRequests.removeFirst() }
        self.openNextChannel()
    }
}
