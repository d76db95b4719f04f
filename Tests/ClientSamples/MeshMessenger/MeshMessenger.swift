// The app without its user interface: who this is, what it keeps, the mesh, and what is shown of it.

import Foundation

@MainActor
package final class MeshMessenger {
    package let id: PeerID
    package let nickname: String
    package let viewModel: MeshViewModel
    nonisolated package let diagnostics = Diagnostics()
    private let router: MeshRouter
    private let transport: MeshTransport

    package init(nickname: String) {
        let identity = Identity()
        self.id = identity.id
        self.nickname = nickname
        self.transport = MeshTransport(own: identity.id, diagnostics: diagnostics)
        self.router = MeshRouter(
            identity: identity,
            nickname: nickname,
            transport: transport,
            store: MessageStore(),
            diagnostics: diagnostics
        )
        self.viewModel = MeshViewModel(router: router, transport: transport)
    }

    package func start() {
        viewModel.start()
        transport.start()
        Task { await router.start() }
    }

    package func stop() async {
        viewModel.stop()
        await router.stop()
        transport.stop()
    }

    /// How many neighbours there are, by who made the connection.
    package func linkCounts() async -> (outgoing: Int, incoming: Int) { await transport.linkCounts() }
}
